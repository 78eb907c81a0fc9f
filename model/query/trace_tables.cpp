#include "model/query/trace_tables.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "model/base/number_map.h"
#include "model/base/seeded_hash.h"
#include "model/formats/chrome/decimal.h"
#include "model/import/argument_reader.h"
#include "model/input/memory_room.h"
#include "model/query/event_stream.h"
#include "model/query/json_leaves.h"
#include "model/query/slice_replay.h"
#include "model/query/thread_replay.h"
#include "model/query/track_replay.h"

namespace lacuna {
namespace {

constexpr std::string_view kError = "error", kInfoSeverity = "info", kLoss = "data_loss";
constexpr std::string_view kFromTrace = "trace", kFromAnalysis = "analysis";

constexpr std::array<TraceTables::Stat, static_cast<std::size_t>(ReplayStat::kCount)> kReplayStats{{
    {"json_tokenizer_failure", kError, kFromTrace, 0},
    {"json_parser_failure", kError, kFromTrace, 0},
    {"json_display_time_unit", kInfoSeverity, kFromTrace, 0},
    {"misplaced_end_event", kLoss, kFromAnalysis, 0},
    {"slice_drop_overlapping_complete_event", kError, kFromAnalysis, 0},
    {"slice_spill_overlapping_complete_event", kError, kFromAnalysis, 0},
    {"slice_negative_duration", kError, kFromAnalysis, 0},
    {"slice_max_depth_exceeded", kError, kFromAnalysis, 0},
    {"flow_duplicate_id", kError, kFromTrace, 0},
    {"flow_no_enclosing_slice", kError, kFromTrace, 0},
    {"flow_step_without_start", kInfoSeverity, kFromTrace, 0},
    {"flow_end_without_start", kInfoSeverity, kFromTrace, 0},
    {"flow_invalid_id", kError, kFromTrace, 0},
    {"flow_without_direction", kError, kFromTrace, 0},
}};

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty() || text.size() > 16) return {};
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return {};
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

/// Gives equal args one number.
class ArgumentSets {
 public:
  explicit ArgumentSets(TraceTables& tables) : tables_(tables) {}

  std::uint32_t of_event(std::uint64_t hash, std::uint32_t source, std::uint64_t offset) {
    const auto [set, is_new] =
        by_hash_.try_put(key_of(hash, source), static_cast<std::uint32_t>(tables_.arg_sets.size()));
    if (is_new) tables_.arg_sets.push_back({offset, 0, source, false});
    return set;
  }
  void prefetch(std::uint64_t hash, std::uint32_t source) const { by_hash_.prefetch(key_of(hash, source)); }
  /// A set of its own.
  std::uint32_t of_two_events(std::uint32_t source, std::uint64_t begin, std::uint64_t end) {
    return add({begin, end, source, false});
  }
  std::uint32_t made(std::vector<TraceTables::MadeArgument> arguments) {
    tables_.made_arguments.push_back(std::move(arguments));
    return add({tables_.made_arguments.size() - 1, 0, 0, true});
  }

 private:
  static std::uint64_t key_of(std::uint64_t hash, std::uint32_t source) {
    return hash ^ source * 0x9e37'79b9'7f4a'7c15ull;
  }
  std::uint32_t add(TraceTables::ArgumentSet set) {
    tables_.arg_sets.push_back(set);
    return static_cast<std::uint32_t>(tables_.arg_sets.size() - 1);
  }

  TraceTables& tables_;
  NumberMap by_hash_;
};

/// Numbers flows by name, category and id in order of appearance.
class FlowNumbers {
 public:
  std::uint64_t of(StringId category, StringId name, std::uint64_t id) {
    const std::uint64_t pair = std::uint64_t{category.value} << 32 | name.value;
    const auto [place, is_new] = pairs_.try_put(pair, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) numbers_.emplace_back();
    last_ = place;
    const auto [number, is_new_flow] = numbers_[place].try_put(id, count_);
    count_ += is_new_flow ? 1 : 0;
    return number;
  }
  /// Most flows of a trace have one name.
  void prefetch(std::uint64_t id) const {
    if (!numbers_.empty()) numbers_[last_].prefetch(id);
  }

 private:
  NumberMap pairs_;  // name and category: place in numbers_
  std::vector<NumberMap> numbers_;
  std::uint32_t last_ = 0;
  std::uint32_t count_ = 0;
};

class Replay {
 public:
  Replay(const Trace& trace, EventStream stream)
      : trace_(trace),
        stream_(std::move(stream)),
        sets_(tables_),
        threads_(tables_),
        tracks_(tables_),
        slices_(tables_) {
    tables_.strings = std::move(stream_.strings);
    no_name_ = tables_.strings.intern("[No name]");
    running_ = tables_.strings.intern("Running");
  }

  Result<TraceTables> run(const std::atomic<bool>* cancel) {
    reserve();
    // Files are played one after the other, so that ids of the first do not depend on the second.
    const std::size_t sources = stream_.first_of_source.size() - 1;
    for (std::uint32_t s = 0; s < sources; ++s) {
      const std::size_t first = stream_.first_of_source[s];
      const std::size_t last = stream_.first_of_source[s + 1];
      if (first == last) continue;
      source_ = s;
      reader_.reset();
      threads_.start_source(s);
      tracks_.start_source(s);
      flow_slices_ = {};
      flow_numbers_ = {};
      if (!play_all(playing_order(stream_.events, first, last), cancel))
        return fail(ErrorCode::kCancelled, "cancelled");
    }
    finish();
    return std::move(tables_);
  }

 private:
  void reserve() {
    TraceTables::Slices& s = tables_.slices;
    std::size_t slices = 0;
    for (const RawEvent& e : stream_.events)
      slices += e.phase == 'X' || e.phase == 'B' || e.phase == 'b' || e.phase == 'i' || e.phase == 'I' ? 1 : 0;
    s.ts.reserve(slices);
    s.dur.reserve(slices);
    s.offset.reserve(slices);
    s.track.reserve(slices);
    s.parent.reserve(slices);
    s.category.reserve(slices);
    s.name.reserve(slices);
    s.arg_set.reserve(slices);
    s.depth.reserve(slices);
  }

  /// Events lie in the order of their file, and what they refer to in tables: both are fetched some events ahead.
  bool play_all(const PageVector<std::uint32_t>& order, const std::atomic<bool>* cancel) {
    constexpr std::size_t kEventAhead = 24, kReferenceAhead = 12;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if ((i & 0xffff) == 0xffff && cancel != nullptr && *cancel) return false;
      if (i + kEventAhead < order.size()) {
        const RawEvent* event = &stream_.events[order[i + kEventAhead]];
        __builtin_prefetch(event);
        __builtin_prefetch(&event->phase);
      }
      if (i + kReferenceAhead < order.size()) {
        const RawEvent& event = stream_.events[order[i + kReferenceAhead]];
        const bool is_flow = event.phase == 's' || event.phase == 't' || event.phase == 'f';
        if (event.args_hash != 0) sets_.prefetch(event.args_hash, source_);
        if (is_flow && event.id_kind == RawEvent::IdKind::kNumber) flow_numbers_.prefetch(event.id);
      }
      play(stream_.events[order[i]]);
    }
    return true;
  }

  void count(ReplayStat stat, std::uint64_t times = 1) { counts_[static_cast<std::size_t>(stat)] += times; }

  std::int64_t number_of(std::uint32_t value, RawEvent::IdKind kind) const {
    return kind == RawEvent::IdKind::kText ? stream_.pool_numbers[value] : value;
  }

  void play(const RawEvent& e) {
    using IdKind = RawEvent::IdKind;
    const std::int64_t pid = number_of(e.pid, e.pid_kind);
    std::int64_t tid = number_of(e.tid, e.tid_kind);
    if (tid == 0 && pid != 0 && e.tid_kind != IdKind::kText) tid = pid;
    if (e.pid_kind == IdKind::kText) threads_.name_process(threads_.process(pid), StringId{e.pid});
    if (e.tid_kind == IdKind::kText) threads_.name_thread(threads_.any_thread(tid), StringId{e.tid});
    const std::uint32_t utid = threads_.thread(tid, pid);
    const StringId name = e.name.valid() ? e.name : no_name_;
    switch (e.phase) {
      case 'B': {
        const std::uint32_t track = tracks_.thread(utid);
        if (const auto slice = slices_.begin(e.ts, track, e.category, name)) note(*slice, e);
        add_own_flow(track, e);
        break;
      }
      case 'E':
        if (const auto slice = slices_.end(e.ts, tracks_.thread(utid), e.category, e.name)) note_end(*slice, e);
        break;
      case 'b':
      case 'e':
      case 'n':
        play_async(e, pid);
        break;
      case 'X':
        play_complete(e, utid, name);
        break;
      case 'C':
        play_counter(e, utid);
        break;
      case 'R':
      case 'I':
      case 'i':
        play_instant(e, utid, pid, name);
        break;
      case 's':
      case 't':
      case 'f':
        play_flow(e, utid);
        break;
      case 'T':
        play_state(e, utid, name);
        break;
      case 'M':
        play_metadata(e, utid, pid);
        break;
      default:
        break;
    }
  }

  void note(std::uint32_t slice, const RawEvent& e) {
    tables_.slices.offset[slice] = e.file_offset;
    if (e.args_hash != 0) tables_.slices.arg_set[slice] = sets_.of_event(e.args_hash, source_, e.file_offset);
    tables_.has_thread_times |= e.has_thread_time;
  }

  void note_end(std::uint32_t slice, const RawEvent& e) {
    if (e.args_hash == 0 && !e.has_thread_time) return;
    tables_.end_offsets[slice] = e.file_offset;
    if (e.args_hash == 0) return;
    // Args of both events: no other slice has the same.
    tables_.slices.arg_set[slice] = sets_.of_two_events(source_, tables_.slices.offset[slice], e.file_offset);
  }

  void play_complete(const RawEvent& e, std::uint32_t utid, StringId name) {
    if (e.dur == RawEvent::kNoTime) return count(ReplayStat::kParserFailure);
    std::uint32_t track = tracks_.thread(utid);
    std::optional<SliceReplay::Overlap> overlap;
    auto slice = slices_.complete(e.ts, e.dur, track, e.category, name, &overlap);
    if (overlap) {
      count(ReplayStat::kSpillOverlapping);
      log_overlap(e, *overlap);
      track = tracks_.overflow(utid, e.ts, e.dur);
      slice = slices_.complete(e.ts, e.dur, track, e.category, name);
    }
    if (slice) note(*slice, e);
    add_own_flow(track, e);
  }

  void log_overlap(const RawEvent& e, const SliceReplay::Overlap& overlap) {
    constexpr std::size_t kMostLogged = 100'000;
    if (tables_.logs.size() >= kMostLogged) return;
    const TraceTables::Slices& s = tables_.slices;
    const auto number = [](std::string key, std::int64_t value) {
      return TraceTables::MadeArgument{std::move(key), {}, value, false};
    };
    const auto text = [](std::string key, std::string_view value) {
      return TraceTables::MadeArgument{std::move(key), std::string(value), 0, true};
    };
    const std::uint32_t other = overlap.conflicting;
    TraceTables::LogRow row{e.ts, static_cast<std::size_t>(ReplayStat::kSpillOverlapping), 0};
    row.arg_set =
        sets_.made({text("event_name", e.name.valid() ? tables_.strings.get(e.name) : std::string_view{}),
                    text("event_phase", std::string_view(&e.phase, 1)), number("overlap_start", overlap.start),
                    number("overlap_end", overlap.end), text("conflicting_slice_name", tables_.text(s.name[other])),
                    number("conflicting_slice_ts", s.ts[other]), number("conflicting_slice_dur", s.dur[other])});
    tables_.logs.push_back(row);
  }

  void play_async(const RawEvent& e, std::int64_t pid) {
    if (e.pid_kind == RawEvent::IdKind::kNone || e.id_kind == RawEvent::IdKind::kNone)
      return count(ReplayStat::kParserFailure);
    const AsyncCookie cookie{e.category.value, e.id_kind == RawEvent::IdKind::kText, e.id};
    const std::uint32_t upid = threads_.process(pid);
    const std::uint32_t track = tracks_.async(e.name, upid, cookie, e.is_local_id, e.phase);
    const StringId name = e.name.valid() ? e.name : no_name_;
    if (e.phase == 'b') {
      if (const auto slice = slices_.begin(e.ts, track, e.category, name)) note(*slice, e);
    } else if (e.phase == 'e') {
      if (const auto slice = slices_.end(e.ts, track, e.category, e.name)) note_end(*slice, e);
      return;
    } else if (const auto slice = slices_.complete(e.ts, 0, track, e.category, e.name)) {
      note(*slice, e);
    }
    add_own_flow(track, e);
  }

  void play_instant(const RawEvent& e, std::uint32_t utid, std::int64_t pid, StringId name) {
    std::uint32_t track = 0;
    StringId shown = e.name;
    if (e.scope == RawEvent::Scope::kGlobal) {
      track = tracks_.global_instants();
    } else if (e.scope == RawEvent::Scope::kProcess) {
      if (e.pid_kind == RawEvent::IdKind::kNone) return count(ReplayStat::kParserFailure);
      track = tracks_.process_instants(threads_.process(pid));
    } else {
      if (e.tid_kind == RawEvent::IdKind::kNone) return count(ReplayStat::kParserFailure);
      track = tracks_.thread(utid);
      shown = name;
    }
    if (const auto slice = slices_.complete(e.ts, 0, track, e.category, shown)) note(*slice, e);
  }

  // --- flows

  std::optional<std::uint64_t> flow_id(std::uint64_t id, RawEvent::IdKind kind) const {
    if (kind == RawEvent::IdKind::kNumber) return id;
    if (kind == RawEvent::IdKind::kText)
      return hexadecimal(tables_.strings.get(StringId{static_cast<std::uint32_t>(id)}));
    return {};
  }

  void play_flow(const RawEvent& e, std::uint32_t utid) {
    const std::uint32_t track = tracks_.thread(utid);
    const auto id = flow_id(e.id, e.id_kind);
    if (!id) return count(ReplayStat::kFlowInvalidId);
    const std::uint64_t flow = flow_numbers_.of(e.category, e.name, *id);
    const std::uint32_t set = flow_arguments(e.category, e.name);
    if (e.phase == 's') begin_flow(track, flow);
    if (e.phase == 't') step_flow(track, flow, set, true);
    // Perfetto keeps an end that binds to the next slice and never binds it.
    if (e.phase == 'f' && e.binds_enclosing) step_flow(track, flow, set, false);
  }

  void add_own_flow(std::uint32_t track, const RawEvent& e) {
    const auto id = flow_id(e.bind_id, e.bind_id_kind);
    if (!id) return;
    if (e.flows_in && e.flows_out) return step_flow(track, *id, TraceTables::kNone, true);
    if (e.flows_out) return begin_flow(track, *id);
    if (e.flows_in) return step_flow(track, *id, TraceTables::kNone, false);
    count(ReplayStat::kFlowWithoutDirection);
  }

  void begin_flow(std::uint32_t track, std::uint64_t flow) {
    const auto slice = slices_.top(track);
    if (!slice) return count(ReplayStat::kFlowNoSlice);
    if (!flow_slices_.try_put(flow, *slice).second) count(ReplayStat::kFlowDuplicate);
  }

  void step_flow(std::uint32_t track, std::uint64_t flow, std::uint32_t set, bool goes_on) {
    const auto slice = slices_.top(track);
    if (!slice) return count(ReplayStat::kFlowNoSlice);
    const std::uint32_t found = flow_slices_.find(flow);
    if (found == NumberMap::kNone)
      return count(goes_on ? ReplayStat::kFlowStepWithoutStart : ReplayStat::kFlowEndWithoutStart);
    const bool turns = tables_.slices.ts[found] > tables_.slices.ts[*slice];
    const std::uint32_t out = turns ? *slice : found;
    const std::uint32_t in = turns ? found : *slice;
    tables_.flows.push_back({out, in, flow, set});
    if (goes_on) flow_slices_.put(flow, *slice);
  }

  std::uint32_t flow_arguments(StringId category, StringId name) {
    const std::uint64_t key = std::uint64_t{category.value} << 32 | name.value;
    const auto [at, is_new] = flow_sets_.try_emplace(key, 0);
    if (is_new) {
      at->second = sets_.made({{"name", std::string(tables_.strings.get(name)), 0, true},
                               {"cat", std::string(tables_.strings.get(category)), 0, true}});
    }
    return at->second;
  }

  // --- what args say

  template <class Visit>
  void for_each_argument(const RawEvent& e, Visit&& visit) {
    const TraceSource& source = trace_.sources()[source_];
    if (!source.bytes) return;
    if (!reader_) reader_.emplace(source);
    for_each_json_member(reader_->read_text(e.file_offset), [&](std::string_view key, std::string_view value) {
      if (key == "args") for_each_json_member(value, visit);
    });
  }

  void play_counter(const RawEvent& e, std::uint32_t utid) {
    if (e.args_hash == 0) return count(ReplayStat::kParserFailure);
    std::string prefix(e.name.valid() ? tables_.strings.get(e.name) : std::string_view{});
    if (e.id_kind == RawEvent::IdKind::kText) {
      const std::string_view id = tables_.strings.get(StringId{static_cast<std::uint32_t>(e.id)});
      if (!id.empty()) prefix.append(" id: ").append(id);
    }
    prefix += ' ';
    for_each_argument(e, [&](std::string_view key, std::string_view value) {
      const JsonScalar scalar = read_json_scalar(value);
      std::optional<double> number;
      if (scalar.kind == JsonScalar::Kind::kInteger) number = static_cast<double>(scalar.number);
      if (scalar.kind == JsonScalar::Kind::kReal) number = scalar.real;
      if (scalar.kind == JsonScalar::Kind::kText) number = loose_number(scalar.text);
      if (!number) return count(ReplayStat::kParserFailure);
      pending_counters_.push_back({utid, tables_.strings.intern(prefix + std::string(key))});
      tables_.counters.push_back({e.ts, *number, 0, thread_arguments(utid)});
    });
  }

  /// As strtod takes it: ".75", "246.", "+10.5".
  static std::optional<double> loose_number(std::string_view text) {
    if (text.empty() || is_json_space(text.front())) return {};
    char* end = nullptr;
    const std::string copy(text);
    const double value = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size() || end == copy.c_str()) return {};
    return value;
  }
  static bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::uint32_t thread_arguments(std::uint32_t utid) {
    const auto [at, is_new] = thread_sets_.try_emplace(utid, 0);
    if (is_new) at->second = sets_.made({{"utid", {}, utid, false}});
    return at->second;
  }

  void play_state(const RawEvent& e, std::uint32_t utid, StringId name) {
    if (e.dur == RawEvent::kNoTime) return count(ReplayStat::kParserFailure);
    TraceTables::ThreadState state;
    state.ts = e.ts;
    state.dur = e.dur;
    state.state = name;
    state.utid = utid;
    if (e.args_hash != 0) {
      for_each_argument(e, [&](std::string_view key, std::string_view value) {
        const JsonScalar scalar = read_json_scalar(value);
        const bool is_number = scalar.kind == JsonScalar::Kind::kInteger;
        if (key == "cpu" && is_number) state.cpu = scalar.number;
        if (key == "io_wait" && is_number) state.io_wait = scalar.number;
        if (key == "blocked_function" && scalar.kind == JsonScalar::Kind::kText) state.blocked_function = scalar.text;
      });
    }
    state.is_running = name == running_ && state.cpu;
    tables_.thread_states.push_back(std::move(state));
  }

  using MadeArguments = std::vector<TraceTables::MadeArgument>;
  static void set_argument(MadeArguments& arguments, TraceTables::MadeArgument argument) {
    const auto known = std::ranges::find(arguments, argument.key, &TraceTables::MadeArgument::key);
    if (known == arguments.end()) {
      arguments.push_back(std::move(argument));
    } else {
      *known = std::move(argument);
    }
  }

  void play_metadata(const RawEvent& e, std::uint32_t utid, std::int64_t pid) {
    if (e.args_hash == 0 || !e.name.valid()) return;
    const std::string what(tables_.strings.get(e.name));
    const bool is_of_process = what.starts_with("process_");
    const bool is_sort = what == "process_sort_index" || what == "thread_sort_index";
    if (what == "process_description" || what == "thread_description")
      return play_words(e, is_of_process ? process_arguments_[threads_.process(pid)] : thread_arguments_[utid]);
    if (what == "counter_description") return play_counter_words(e, utid);
    if (what != "thread_name" && what != "process_name" && !is_sort) return;
    for_each_argument(e, [&](std::string_view key, std::string_view value) {
      const JsonScalar scalar = read_json_scalar(value);
      if (is_sort) {
        if (key != "sort_index") return;
        const bool is_number = scalar.kind == JsonScalar::Kind::kInteger || scalar.kind == JsonScalar::Kind::kReal;
        if (!is_number) return count(ReplayStat::kParserFailure);
        const std::int64_t index =
            scalar.kind == JsonScalar::Kind::kInteger ? scalar.number : static_cast<std::int64_t>(scalar.real);
        if (is_of_process) {
          set_argument(process_arguments_[threads_.process(pid)], {"process_sort_index_hint", {}, index, false});
        } else {
          set_argument(thread_arguments_[utid], {"thread_sort_index_hint", {}, index, false});
        }
        return;
      }
      if (key != "name") return;
      if (scalar.kind != JsonScalar::Kind::kText || scalar.text.empty()) return count(ReplayStat::kParserFailure);
      const StringId given = tables_.strings.intern(scalar.text);
      if (is_of_process) {
        threads_.name_process(threads_.process(pid), given);
      } else {
        threads_.name_thread(utid, given);
      }
    });
  }

  /// What formats of others than Chrome JSON say of a process, thread or counter (TraceSink).
  void play_words(const RawEvent& e, MadeArguments& arguments) {
    for_each_argument(e, [&](std::string_view key, std::string_view value) {
      const JsonScalar scalar = read_json_scalar(value);
      if (scalar.kind == JsonScalar::Kind::kText) set_argument(arguments, {std::string(key), scalar.text, 0, true});
    });
  }

  void play_counter_words(const RawEvent& e, std::uint32_t utid) {
    MadeArguments words;
    play_words(e, words);
    std::string name, series;
    std::erase_if(words, [&](const TraceTables::MadeArgument& word) {
      if (word.key == "counter") name = word.text;
      if (word.key == "series") series = word.text;
      return word.key == "counter" || word.key == "series";
    });
    counter_words_.push_back({utid, tables_.strings.intern(name + ' ' + series), std::move(words)});
  }

  // --- the end

  void finish() {
    for (std::size_t i = 0; i < pending_counters_.size(); ++i) {
      const auto& [utid, name] = pending_counters_[i];
      tables_.counters[i].track = tracks_.counter(tables_.threads[utid].upid, name);
    }
    for (TraceTables::TrackRow& track : tables_.tracks) {
      if (track.utid != TraceTables::kNone) track.dimension_set = thread_arguments(track.utid);
      if (track.upid != TraceTables::kNone) {
        const auto [at, is_new] = process_sets_.try_emplace(track.upid, 0);
        if (is_new) at->second = sets_.made({{"upid", {}, track.upid, false}});
        track.dimension_set = at->second;
      }
    }
    for (auto& [upid, arguments] : process_arguments_)
      tables_.processes[upid].arg_set = sets_.made(std::move(arguments));
    for (auto& [utid, arguments] : thread_arguments_) tables_.threads[utid].arg_set = sets_.made(std::move(arguments));
    for (auto& [utid, name, words] : counter_words_)
      tables_.tracks[tracks_.counter(tables_.threads[utid].upid, name)].source_set = sets_.made(std::move(words));
    for (const auto& [key, json] : stream_.metadata) {
      const JsonScalar scalar = read_json_scalar(json);
      TraceTables::Metadata row{"json_metadata." + key, {}, scalar.text};
      using Kind = JsonScalar::Kind;
      if (scalar.kind == Kind::kNull) continue;
      if (scalar.kind == Kind::kInteger || scalar.kind == Kind::kBool) row.number = scalar.number;
      if (scalar.kind == Kind::kReal) {
        const auto whole = static_cast<std::int64_t>(scalar.real);
        if (static_cast<double>(whole) == scalar.real) {
          row.number = whole;
        } else {
          row.text = fmt::format("{:g}", scalar.real);
        }
      }
      tables_.metadata.push_back(std::move(row));
    }
    count(ReplayStat::kTokenizerFailure, stream_.tokenizer_failures);
    count(ReplayStat::kDisplayTimeUnit, stream_.display_units);
    count(ReplayStat::kMisplacedEnd, slices_.misplaced_ends);
    count(ReplayStat::kNegativeDuration, slices_.negative_durations);
    count(ReplayStat::kTooDeep, slices_.too_deep);
    count(ReplayStat::kDropOverlapping, slices_.dropped);
    tables_.stats.assign(kReplayStats.begin(), kReplayStats.end());
    for (std::size_t i = 0; i < counts_.size(); ++i) tables_.stats[i].value = static_cast<std::int64_t>(counts_[i]);
    find_bounds();
  }

  void find_bounds() {
    Nanos start = kMaxNanos;
    Nanos end = 0;
    const auto include = [&](Nanos ts, Nanos dur) {
      start = std::min(start, ts);
      end = std::max(end, saturating_add(ts, std::max<Nanos>(dur, 0)));
    };
    const TraceTables::Slices& s = tables_.slices;
    for (std::uint32_t i = 0; i < s.size(); ++i) include(s.ts[i], s.dur[i]);
    for (const auto& c : tables_.counters) include(c.ts, 0);
    for (const auto& state : tables_.thread_states) include(state.ts, state.dur);
    if (start == kMaxNanos) start = end = 0;
    if (start == end && s.size() != 0) ++end;
    tables_.start = start;
    tables_.end = end;
  }

  const Trace& trace_;
  EventStream stream_;
  TraceTables tables_;
  ArgumentSets sets_;
  ThreadReplay threads_;
  TrackReplay tracks_;
  SliceReplay slices_;
  StringId no_name_;
  StringId running_;
  std::uint32_t source_ = 0;
  std::optional<ArgumentReader> reader_;  // of that source
  std::array<std::uint64_t, static_cast<std::size_t>(ReplayStat::kCount)> counts_{};
  FlowNumbers flow_numbers_;
  NumberMap flow_slices_;  // by number
  std::unordered_map<std::uint64_t, std::uint32_t, SeededHash> flow_sets_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_sets_;
  std::unordered_map<std::uint32_t, std::uint32_t> process_sets_;
  std::map<std::uint32_t, MadeArguments> process_arguments_, thread_arguments_;  // other than the sets of their tracks
  struct CounterWords {
    std::uint32_t utid = 0;
    StringId name{};
    MadeArguments words;
  };
  std::vector<CounterWords> counter_words_;
  std::vector<std::pair<std::uint32_t, StringId>> pending_counters_;
};

}  // namespace

std::uint64_t memory_for_tables(const Trace& trace) {
  constexpr std::uint64_t kOfEvent = 160;
  return trace.event_count() * kOfEvent;
}

Result<TraceTables> make_trace_tables(const Trace& trace, unsigned threads, const std::atomic<bool>* cancel) {
  try {
    make_room_for_tables(memory_for_tables(trace));
    auto stream = read_event_stream(trace, threads, cancel);
    if (!stream) return tl::make_unexpected(stream.error());
    return Replay(trace, std::move(*stream)).run(cancel);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory for the tables of the trace");
  }
}

}  // namespace lacuna
