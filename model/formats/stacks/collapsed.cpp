#include <algorithm>
#include <charconv>

#include "model/formats/chrome/json_text.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/formats/stacks/stack_formats.h"
#include "model/formats/stacks/text_lines.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr Nanos kDrawn = 1'000'000;  // for a sample

struct CollapsedLine {
  std::string_view stack;
  std::uint64_t count = 0;
};

/// "main;step;read 12"
std::optional<CollapsedLine> parse_collapsed(std::string_view line) {
  const std::size_t space = line.rfind(' ');
  if (space == line.npos || space == 0) return {};
  CollapsedLine parsed{line.substr(0, space)};
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + space + 1, end, parsed.count);
  if (read.ec != std::errc{} || read.ptr != end) return {};
  const bool is_text = std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return is_text ? std::optional(parsed) : std::nullopt;
}

Result<void> read_collapsed(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
  SampledProfile profile;
  NamedFrames frames(profile);
  SampledProfile::Thread& thread = profile.thread(1, 1);
  thread.name = "all threads \xC2\xB7 no times in the file, 1 ms for each sample";
  thread.period = kDrawn;
  TextLines lines(input.bytes);
  for (std::string_view line; lines.next(line);) {
    if (input.progress != nullptr && input.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    if (line.empty() || line.starts_with('#')) continue;
    const auto parsed = parse_collapsed(line);
    if (!parsed) {
      facts.report.add(Finding::kEventUnreadable, lines.offset(), line.substr(0, utf8_cut(line, 60)));
      continue;
    }
    SampledProfile::Sample sample{.offset = lines.offset()};
    if (__builtin_mul_overflow(parsed->count, kDrawn, &sample.duration)) sample.duration = INT64_MAX;
    for (std::string_view rest = parsed->stack; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      sample.stack = profile.add_stack(sample.stack, frames.find(name));
    }
    if (sample.duration > 0) thread.samples.push_back(sample);
  }
  if (const auto error = input.bytes.ending().error) return tl::make_unexpected(*error);
  profile.lay_out(thread);
  TraceSink sink(input, facts, receive);
  return write_profile(profile, input, facts, sink);
}

/// All whole lines are stacks, and one has several frames.
bool is_collapsed(std::string_view head, bool) {
  bool has_frames = false;
  std::size_t lines = 0;
  const bool is_whole = head.size() < Format::kHeadBytes;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (end == head.npos && !is_whole) break;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#') && lines == 0) continue;
    if (line.empty() && head.empty()) break;
    if (!parse_collapsed(line) || line.starts_with('{') || line.starts_with('[')) return false;
    has_frames |= line.find(';') != line.npos;
    ++lines;
  }
  // One long stack fills the head.
  return has_frames ||
         (lines == 0 && std::ranges::count(head, ';') >= 3 && head.find_first_of("{}\"\n\t<") == head.npos);
}

}  // namespace

constinit const Format kCollapsedFormat{.title = "collapsed stacks",
                                        .endings = {".folded", ".collapsed", ".stacks"},
                                        .recognises = is_collapsed,
                                        .text = Format::Text::kMade,
                                        .read = read_collapsed};

}  // namespace lacuna
