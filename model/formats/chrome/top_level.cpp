#include "model/formats/chrome/top_level.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/formats/chrome/json_mender.h"
#include "model/formats/chrome/list_reader.h"
#include "model/formats/chrome/stack_samples.h"
#include "model/formats/chrome/trace_facts.h"
#include "model/formats/file_kind.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::size_t kLongestMetadata = 4096;
constexpr std::size_t kLongestKnownValue = std::size_t{1} << 20;  // deviceProperties of many GPUs
constexpr std::size_t kLongestRaw = std::size_t{16} << 20;
constexpr std::size_t kMostKeysNamed = 8;

bool is_list_of_objects(std::string_view json) {
  const std::size_t entry = json.find_first_not_of(" \t\r\n", 1);
  return json.starts_with('[') && entry != json.npos && json[entry] == '{';
}

class TopLevel {
 public:
  TopLevel(ImportBytes& bytes, const ImportOptions& options, ImportProgress* progress, TraceSource& facts,
           const BatchReceiver& sink)
      : bytes_(bytes), options_(options), progress_(progress), facts_(facts), mender_(bytes, facts.report) {
    counting_sink_ = [this, &sink](EventBatch batch) {
      events_ += batch.event_count() + batch.raw.events.size() + batch.report.count(Finding::kSkippedOnRequest);
      for (const Finding lost :
           {Finding::kNotAnEvent, Finding::kJunkSkipped, Finding::kEventUnreadable, Finding::kUnterminated})
        lost_ += batch.report.count(lost);
      sink(std::move(batch));
    };
  }

  Result<void> read() {
    skip_byte_order_mark();
    const int c = mender_.peek_token();
    Result<void> done = c == '['   ? read_array()
                        : c == '{' ? read_object()
                                   : Result<void>(not_a_trace("not a Chrome trace: " + describe_file(bytes_), 0));
    if (progress_ != nullptr && progress_->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    // What went wrong below the JSON explains more than what the JSON then looks like; but do not
    // decompress all of a large file that is no trace just to learn that.
    if (!done && !bytes_.known_size()) return done;
    const ImportBytes::Ending ending = bytes_.ending();
    if (ending.error) return tl::make_unexpected(*ending.error);
    facts_.json_bytes = bytes_.size();
    if (facts_.json_bytes == 0 && ending.is_truncated)
      return fail(ErrorCode::kBadCompression, "the compressed data are damaged from the start");
    if (facts_.json_bytes == 0) return fail(ErrorCode::kEmpty, "there are no data in the file");
    if (!done) return done;
    if (ending.is_truncated) facts_.report.add(Finding::kTruncatedCompression, ending.truncated_at);
    facts_.report.add(Finding::kTrailingGarbage, facts_.json_bytes, {}, ending.garbage_bytes);
    if (samples_at_ && !frames_at_) facts_.report.add(Finding::kSamplesNotRead, *samples_at_);
    if (samples_at_ && frames_at_)
      read_stack_samples(bytes_, *samples_at_, *frames_at_, options_, facts_, counting_sink_);
    if (events_ == 0 && (lost_ > 0 || facts_.report.count(Finding::kUnterminated) > 0))
      return not_a_trace("not a Chrome trace: there is no complete event in it", 0);
    return {};
  }

 private:
  tl::unexpected<Error> not_a_trace(std::string cause, std::uint64_t offset) {
    return fail(ErrorCode::kNotATrace, std::move(cause), {}, offset);
  }

  void skip_byte_order_mark() {
    if (mender_.peek(0) != 0xEF || mender_.peek(1) != 0xBB || mender_.peek(2) != 0xBF) return;
    facts_.report.add(Finding::kByteOrderMark, 0);
    mender_.take(3);
  }

  Result<void> read_array() {
    mender_.take();
    auto done = read_events(/*must_close=*/false);
    if (done && is_closed_) skip_rest();
    return done;
  }

  /// The list whose first entry begins here. Leaves the mender behind its ']', or at the end.
  Result<void> read_events(bool must_close) {
    while (true) {
      const auto read = read_list(bytes_, mender_.offset(), options_, progress_, counting_sink_);
      if (!read) return tl::make_unexpected(read.error());
      has_list_ = true;
      mender_.seek(read->position);
      is_closed_ = read->end == EventReader::End::kListEnd;
      if (!is_closed_) {
        // A bare list may end without its bracket; an object says that something is missing.
        if (must_close && read->end == EventReader::End::kDataEnd)
          facts_.report.add(Finding::kUnterminated, read->position);
        return {};
      }
      mender_.take();
      if (!events_follow()) return {};
      facts_.report.add(Finding::kJunkSkipped, read->position, "]");
    }
  }

  /// A bracket too many: the list goes on behind it. Then moves to the next event.
  bool events_follow() {
    if (mender_.peek_token() != ',') return false;
    std::size_t ahead = 1;
    for (; ahead < kLongestMetadata; ++ahead) {
      const int c = mender_.peek(ahead);
      if (c == '{') break;
      if (c == JsonMender::kEnd || !is_json_space(static_cast<char>(c))) return false;
    }
    if (ahead == kLongestMetadata) return false;
    mender_.take(ahead);
    return true;
  }

  Result<void> read_object() {
    const std::uint64_t start = mender_.offset();
    mender_.take();
    bool has_comma = false;
    bool is_whole = false;
    bool needs_comma = false;
    std::size_t depth = 0;  // of objects around the list that are all called traceEvents
    for (int c = mender_.peek_token(); c != JsonMender::kEnd; c = mender_.peek_token()) {
      if (c == '}') {
        if (has_comma) facts_.report.add(Finding::kTrailingComma, mender_.offset());
        mender_.take();
        if (depth > 0) {
          --depth;
          has_comma = false;
          continue;
        }
        is_whole = true;
        break;
      }
      has_comma = c == ',';
      if (c != '"') {
        if (c != ',') facts_.report.add(Finding::kJunkSkipped, mender_.offset());
        if (c == ',') needs_comma = false;
        mender_.take();
        continue;
      }
      if (needs_comma) facts_.report.add(Finding::kSyntaxRepaired, mender_.offset(), "a comma is missing");
      needs_comma = true;
      std::string key_token;
      if (!counting_repairs([&] { return mender_.mend_key(key_token); })) break;
      std::string key;
      append_unescaped(token_content(key_token), key);
      if (mender_.peek_token() == ':') mender_.take();
      if (key == "ph" && !has_list_ &&
          mender_.peek_token() == '"') {  // events without a list around them, such as one a line
        mender_.seek(start);
        auto done = read_events(/*must_close=*/false);
        return done;
      }
      if (key == "traceEvents" && mender_.peek_token() == '{' && !has_list_) {  // a whole trace in its place
        facts_.report.add(Finding::kSyntaxRepaired, mender_.offset(), "an object in the place of the list");
        mender_.take();
        ++depth;
        needs_comma = false;
        continue;
      }
      if (key == "traceEvents" && mender_.peek_token() == '[') {
        if (has_list_) facts_.report.add(Finding::kSyntaxRepaired, mender_.offset(), "a second list of events");
        mender_.take();
        if (auto done = read_events(/*must_close=*/true); !done) return done;
        if (!is_closed_) return {};
      } else if (!read_member(key)) {
        break;
      }
    }
    if (!has_list_) return no_list(is_whole);
    if (is_whole) {
      skip_rest();
    } else {
      facts_.report.add(Finding::kUnterminated, mender_.offset());
    }
    return {};
  }

  /// Reads with the mender; repairs of what is then cut off do not count.
  template <class Read>
  bool counting_repairs(Read read) {
    ImportReport repairs;
    mender_.set_report(repairs);
    const bool is_whole = read();
    mender_.set_report(facts_.report);
    if (is_whole) facts_.report.merge(repairs);
    return is_whole;
  }

  /// False when the data end inside the value.
  bool read_member(const std::string& key) {
    keys_.push_back(key);
    const int c = mender_.peek_token();
    if (c == ',' || c == '}') return true;
    std::string value;
    const bool is_known = is_known_fact(key);
    const std::uint64_t begin = mender_.offset();
    const JsonMender::Keep keep{is_known ? kLongestKnownValue : kLongestMetadata};
    const bool is_whole = counting_repairs([&] { return mender_.mend_value(value, keep); });
    if (is_whole && is_known && !mender_.was_cut() && add_fact(key, value, facts_)) return true;
    if (key == "samples" && is_list_of_objects(value)) samples_at_ = begin;
    if (key == "stackFrames" && value.starts_with('{')) frames_at_ = begin;
    if (options_.raw_events && key == "metadata") {
      value.resize(std::min<std::uint64_t>(mender_.offset() - begin, kLongestRaw));
      value.resize(bytes_.read_at(begin, value));
      facts_.metadata.emplace_back(key, std::move(value));
      return is_whole;
    }
    if (mender_.was_cut()) value.resize(utf8_cut(value, kLongestMetadata));
    facts_.metadata.emplace_back(key, std::move(value));
    return is_whole;
  }

  Result<void> no_list(bool is_whole) {
    if (!is_whole) return not_a_trace("the file ends before any \"traceEvents\"", mender_.offset());
    std::string cause = "a JSON object, but not a Chrome trace: it has no \"traceEvents\" list";
    for (std::size_t i = 0; i < std::min(keys_.size(), kMostKeysNamed); ++i)
      cause.append(i == 0 ? "; its keys are " : ", ").append(keys_[i].substr(0, 60));
    if (keys_.size() > kMostKeysNamed) cause.append(", …");
    return not_a_trace(std::move(cause), 0);
  }

  /// What follows may be events that are lost: another trace, or the rest of one over which this one was written.
  void skip_rest() {
    const int c = mender_.peek_token();
    if (c == JsonMender::kEnd) return;
    std::string rest(kLongestMetadata, '\0');
    rest.resize(bytes_.read_at(mender_.offset(), rest));
    const bool has_events = c == '{' || c == '[' || rest.find("\"ph\"") != rest.npos;
    bytes_.ending();
    facts_.report.add(has_events ? Finding::kEventsAfterEnd : Finding::kTrailingGarbage, mender_.offset(), {},
                      std::max(bytes_.size(), mender_.offset()) - mender_.offset());
  }

  ImportBytes& bytes_;
  const ImportOptions& options_;
  ImportProgress* const progress_;
  TraceSource& facts_;
  BatchReceiver counting_sink_;
  JsonMender mender_;
  std::vector<std::string> keys_;
  std::uint64_t events_ = 0;
  std::uint64_t lost_ = 0;
  std::optional<std::uint64_t> samples_at_, frames_at_;
  bool has_list_ = false;
  bool is_closed_ = false;  // the last list was
};

}  // namespace

Result<void> read_trace(ImportBytes& bytes, const ImportOptions& options, ImportProgress* progress, TraceSource& facts,
                        const BatchReceiver& sink) {
  return TopLevel(bytes, options, progress, facts, sink).read();
}

constinit const Format kChromeFormat{
    .title = "Chrome JSON",
    .endings = {".json", ".trace"},
    .text = Format::Text::kFile,
    .read = [](const FormatInput& input, TraceSource& facts, const BatchReceiver& sink) {
      return read_trace(input.bytes, input.options, input.progress, facts, sink);
    }};

}  // namespace lacuna
