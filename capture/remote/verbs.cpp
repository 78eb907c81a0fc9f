#include "capture/remote/verbs.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "capture/remote/fields.h"
#include "capture/remote/frame.h"
#include "model/statistics/statistics.h"

namespace lacuna {

void put(FieldWriter& out, const RemoteFile& file) {
  out.text(file.path).number(file.bytes).number(static_cast<std::uint64_t>(file.modified_ns)).number(file.sample);
}

RemoteFile get_remote_file(FieldReader& in) {
  RemoteFile file;
  file.path = in.text();
  file.bytes = in.number();
  file.modified_ns = static_cast<std::int64_t>(in.number());
  file.sample = in.number();
  return file;
}

void put(FieldWriter& out, const RemoteEntry& entry) {
  const std::uint64_t bits = (entry.is_folder ? 1u : 0u) | (entry.may_be_trace ? 2u : 0u);
  out.text(entry.name).number(bits).number(entry.bytes).number(static_cast<std::uint64_t>(entry.modified_s));
}

RemoteEntry get_remote_entry(FieldReader& in) {
  RemoteEntry entry;
  entry.name = in.text();
  const std::uint64_t bits = in.number();
  entry.is_folder = (bits & 1) != 0;
  entry.may_be_trace = (bits & 2) != 0;
  entry.bytes = in.number();
  entry.modified_s = static_cast<std::int64_t>(in.number());
  return entry;
}

void put(FieldWriter& out, const std::vector<std::string>& words) {
  out.number(words.size());
  for (const std::string& word : words) out.text(word);
}

std::vector<std::string> get_words(FieldReader& in) {
  const std::uint64_t count = in.number();
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < count && count <= kMostWords && in.ok(); ++i) words.push_back(in.text());
  return words;
}

std::string remote_view_format() {
  // Raised with each change of TraceCodec, whose tables lie as they do in memory, and of questions and answers.
  constexpr int kFormat = 7;
  return fmt::format("lacuna {} sight {} {} {} {} {} {} {}", LACUNA_VERSION, kFormat,
                     std::endian::native == std::endian::little ? "little" : "big", sizeof(Instant), sizeof(TimeSpan),
                     sizeof(TraceSource::phase_counts), sizeof(StatisticsRow), sizeof(TrackId));
}

void put(FieldWriter& out, const RemoteViewRequest& wish) {
  out.text(wish.format).number(wish.is_first ? 1 : 0).number(wish.files.size());
  for (const SeenFile& seen : wish.files) {
    put(out, seen.file);
    out.text(seen.name);
  }
  out.number(static_cast<std::uint64_t>(wish.view.span.begin)).number(static_cast<std::uint64_t>(wish.view.span.end));
  out.number(static_cast<std::uint64_t>(wish.view.fold_ns)).number(wish.view.tracks.size());
  for (const TrackId track : wish.view.tracks) out.number(track.value);
  put(out, wish.questions);
}

RemoteViewRequest get_remote_view_request(FieldReader& in) {
  RemoteViewRequest wish;
  wish.format = in.text();
  wish.is_first = in.number() != 0;
  const std::uint64_t files = in.number();
  for (std::uint64_t i = 0; i < files && files <= kMostFiles && in.ok(); ++i) {
    RemoteFile file = get_remote_file(in);
    wish.files.push_back({std::move(file), in.text()});
  }
  wish.view.span.begin = static_cast<Nanos>(in.number());
  wish.view.span.end = static_cast<Nanos>(in.number());
  wish.view.fold_ns = static_cast<Nanos>(in.number());
  const std::uint64_t tracks = in.number();
  for (std::uint64_t i = 0; i < tracks && tracks <= kMostRemoteViewTracks && in.ok(); ++i)
    wish.view.tracks.push_back(TrackId{static_cast<std::uint32_t>(in.number())});
  wish.questions = get_remote_questions(in);
  return wish;
}

void put(FieldWriter& out, const RemoteViewState& state) {
  out.number(state.bytes).number(state.total).number(state.events);
}

RemoteViewState get_remote_view_state(FieldReader& in) {
  RemoteViewState state;
  state.bytes = in.number();
  state.total = in.number();
  state.events = in.number();
  return state;
}

void put(FieldWriter& out, const RemoteViewHead& head) {
  out.number(static_cast<std::uint64_t>(head.span.begin)).number(static_cast<std::uint64_t>(head.span.end));
  out.number(static_cast<std::uint64_t>(head.fold_ns)).number(static_cast<std::uint64_t>(head.outer_ns));
  out.number(head.bytes).number(head.answer_bytes);
}

RemoteViewHead get_remote_view_head(FieldReader& in) {
  RemoteViewHead head;
  head.span.begin = static_cast<Nanos>(in.number());
  head.span.end = static_cast<Nanos>(in.number());
  head.fold_ns = std::max<Nanos>(1, static_cast<Nanos>(in.number()));
  head.outer_ns = std::max<Nanos>(1, static_cast<Nanos>(in.number()));
  head.bytes = in.number();
  head.answer_bytes = in.number();
  return head;
}

}  // namespace lacuna
