#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "model/base/ascii.h"
#include "model/formats/chrome/json_text.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/formats/stacks/stack_formats.h"
#include "model/formats/stacks/text_lines.h"
#include "model/trace/import_finding.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr Nanos kPerfDrawn = 1'000'000;  // of a sample without a time

/// "python  1234/1236 [003]  5678.123456:     250000 cycles:u: ": who was seen, and when.
struct PerfHead {
  std::string_view command = {};
  std::int64_t pid = 0, tid = 0;
  std::optional<Nanos> time = {};  // none: without the field "time"
};

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return trim_right(text);
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return true;
}

/// "5678.123456" in ns; perf writes six or nine digits, simpleperf none at the end that are 0.
std::optional<Nanos> seconds_of(std::string_view text, std::size_t fewest_digits) {
  std::int64_t whole = 0, part = 0;
  if (!take_number(text, whole) || !text.starts_with('.') || whole > 4'000'000'000) return {};
  text.remove_prefix(1);
  std::size_t digits = text.size();
  if (digits < fewest_digits || digits > 9 || !take_number(text, part) || !text.empty()) return {};
  for (; digits < 9; ++digits) part *= 10;
  return whole * 1'000'000'000 + part;
}

/// The last word of `text`, which it loses.
std::string_view take_last_word(std::string_view& text) {
  text = trim_right(text);
  const std::size_t space = text.find_last_of(" \t");
  const std::string_view word = text.substr(space == text.npos ? 0 : space + 1);
  text.remove_suffix(word.size());
  return word;
}

/// What stands before the time: "python  1234/1236 [003]".
std::optional<PerfHead> parse_perf_thread(std::string_view before) {
  PerfHead head;
  std::string_view word = take_last_word(before);
  if (word.starts_with('[')) word = take_last_word(before);
  if (!take_number(word, head.tid)) return {};
  head.pid = head.tid;
  if (word.starts_with('/')) {
    word.remove_prefix(1);
    if (!take_number(word, head.tid)) return {};
  }
  head.command = trimmed(before);
  return word.empty() && !head.command.empty() ? std::optional(head) : std::nullopt;
}

std::optional<PerfHead> parse_perf_head(std::string_view line) {
  // The time is the first word of digits, a dot and a colon: names of programs have blanks, too.
  for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
    std::string_view before = line.substr(0, colon);
    const std::string_view word = take_last_word(before);
    const auto time = seconds_of(word, trim_right(before).ends_with(']') ? 1 : 6);
    if (!time) continue;
    auto head = parse_perf_thread(before);
    if (head) head->time = *time;
    return head;
  }
  return {};
}

/// "java 19983 cycles:", "java 19983/19990 [001] 250000 cpu-clock:u: ".
std::optional<PerfHead> parse_untimed_head(std::string_view line) {
  if (line.starts_with(' ') || line.starts_with('\t')) return {};
  line = trimmed(line);
  if (!line.ends_with(':')) return {};
  line.remove_suffix(1);
  const std::string_view event = take_last_word(line);
  if (event.empty() || is_digit(event[0])) return {};
  std::string_view before = line;
  std::string_view period = take_last_word(before);
  std::int64_t number = 0;
  if (take_number(period, number) && period.empty()) {
    if (auto head = parse_perf_thread(before)) return head;
  }
  return parse_perf_thread(line);
}

/// Some programs take the blanks away that frames begin with: what begins is an address then.
bool is_perf_frame(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::size_t digits = text.find_first_not_of("0123456789abcdef");
  return digits != text.npos && digits >= 3 && (text[digits] == ' ' || text[digits] == '\t');
}

/// "7f12ab34 do_work(int)+0x3c (/usr/lib/libwork.so)"
std::uint32_t perf_frame(std::string_view line, NamedFrames& frames) {
  line = trimmed(line);
  const std::size_t space = line.find_first_of(" \t");
  std::string_view symbol = space == line.npos ? std::string_view() : trimmed(line.substr(space));
  std::string_view library;
  if (symbol.ends_with(')') && symbol.rfind('(') != symbol.npos) {
    library = symbol.substr(symbol.rfind('(') + 1);
    library.remove_suffix(1);
    symbol = trimmed(symbol.substr(0, symbol.rfind('(')));
  }
  if (const std::size_t plus = symbol.rfind("+0x"); plus != symbol.npos) symbol = symbol.substr(0, plus);
  if (symbol.starts_with("py::")) {  // Python's own: "py::step:/home/me/train.py"
    symbol.remove_prefix(4);
    const std::size_t colon = symbol.find(':');
    return frames.find(symbol.substr(0, colon), colon == symbol.npos ? "" : symbol.substr(colon + 1));
  }
  if (!symbol.empty() && symbol != "[unknown]") return frames.find(symbol, library);
  if (library.empty() || library == "[unknown]") return frames.find(kUnknownCode);
  return frames.find(std::string(library.substr(library.rfind('/') + 1)) + std::string(kNoSymbol), library);
}

/// perf writes times of all samples or of none.
void lay_out_untimed(SampledProfile& profile) {
  for (const SampledProfile::Thread& of : profile.threads()) {
    SampledProfile::Thread& thread = profile.thread(of.pid, of.tid);
    profile.lay_out(thread);
    thread.name += " \xC2\xB7 no times in the file, 1 ms for each sample";
  }
}

Result<void> read_perf_script(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
  SampledProfile profile;
  NamedFrames frames(profile);
  std::optional<PerfHead> head;
  std::string command;
  std::vector<std::uint32_t> stack;  // the innermost first
  std::uint64_t head_at = 0;
  bool has_untimed = false;
  const auto add = [&] {
    if (!head) return;
    SampledProfile::Thread& thread = profile.thread(head->pid, head->tid);
    if (thread.name.empty()) thread.name = command;
    SampledProfile::Sample sample{.time = head->time.value_or(0), .offset = head_at};
    if (!head->time) {
      sample.duration = thread.period = kPerfDrawn;
      has_untimed = true;
    }
    for (std::size_t i = stack.size(); i-- > 0;) sample.stack = profile.add_stack(sample.stack, stack[i]);
    if (!stack.empty()) thread.samples.push_back(sample);
    head.reset();
    stack.clear();
  };
  const auto add_frame = [&](std::string_view line) {
    if (stack.size() < std::size_t{4} * SampledProfile::kMostFrames) stack.push_back(perf_frame(line, frames));
  };
  TextLines lines(input.bytes);
  for (std::string_view line; lines.next(line);) {
    if (input.progress != nullptr && input.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    if (trimmed(line).empty()) {
      add();
    } else if (line.starts_with('#')) {
      continue;
    } else if (head && !line.starts_with(' ') && !line.starts_with('\t') && is_perf_frame(line)) {
      add_frame(line);
    } else if (auto parsed = parse_perf_head(line); parsed || (parsed = parse_untimed_head(line))) {
      add();
      command = parsed->command;
      head = parsed;
      head->command = {};
      head_at = lines.offset();
    } else if (head && (line.starts_with(' ') || line.starts_with('\t'))) {
      add_frame(line);
    } else {
      facts.report.add(Finding::kEventUnreadable, lines.offset(), line.substr(0, utf8_cut(line, 60)));
    }
  }
  add();
  if (const auto error = input.bytes.ending().error) return tl::make_unexpected(*error);
  TraceSink sink(input, facts, receive);
  std::map<std::int64_t, std::string_view> processes;  // as the main thread is called, else as one of them is
  for (const SampledProfile::Thread& thread : profile.threads())
    if (thread.pid == thread.tid || !processes.contains(thread.pid)) processes[thread.pid] = thread.name;
  for (const auto& [pid, name] : processes) sink.name_process(pid, name);
  if (has_untimed) lay_out_untimed(profile);
  return write_profile(profile, input, facts, sink);
}

/// Behind perf's comments, if any, a head.
bool is_perf_script(std::string_view head, bool) {
  if (head.starts_with("# ========\n# captured on")) return true;
  while (head.starts_with('#') || head.starts_with('\n')) {
    const std::size_t end = head.find('\n');
    if (end == head.npos) return false;
    head.remove_prefix(end + 1);
  }
  const std::size_t end = head.find('\n');
  if (end == head.npos || head.starts_with('{') || head.starts_with('[') || head.starts_with('<')) return false;
  const std::string_view line = head.substr(0, end);
  return parse_perf_head(line).has_value() || (parse_untimed_head(line) && is_perf_frame(head.substr(end + 1)));
}

}  // namespace

constinit const Format kPerfScriptFormat{.title = "perf script",
                                         .endings = {".perf"},
                                         .recognises = is_perf_script,
                                         .text = Format::Text::kMade,
                                         .read = read_perf_script};

}  // namespace lacuna
