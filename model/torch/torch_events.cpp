#include "model/torch/torch_events.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>

#include "model/base/parallel.h"
#include "model/base/seeded_hash.h"
#include "model/import/arguments.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// Kineto's row for the recording itself, which is no event.
constexpr std::string_view kSpanCategory = "Trace";

TorchKind kind_of(std::string_view name, CategoryClass meaning) {
  switch (meaning) {
    case CategoryClass::kCpuOperator:
      return TorchKind::kOperator;
    case CategoryClass::kCpuAnnotation:
      return TorchKind::kAnnotation;
    case CategoryClass::kPythonFunction:
      return TorchKind::kPython;
    case CategoryClass::kRuntime:
    case CategoryClass::kOverhead:
      return TorchKind::kRuntime;
    case CategoryClass::kKernel:
    case CategoryClass::kMemcpy:
    case CategoryClass::kMemset:
      return TorchKind::kGpuWork;
    case CategoryClass::kGpuAnnotation:
      return TorchKind::kGpuAnnotation;
    case CategoryClass::kSynchronisation:
      return TorchKind::kGpuOther;
    case CategoryClass::kSample:
    case CategoryClass::kThreadState:
    case CategoryClass::kOther:
      break;
  }
  return name == "cuda_profiler_range" ? TorchKind::kGpuOther : TorchKind::kOtherCpu;
}

/// From start to stop of the profiler, if the source says.
std::optional<TimeSpan> profiler_span(const Trace& trace, SourceId source) {
  for (const Track& track : tracks_of(trace, TrackKind::kThread, source)) {
    if (!trace.text(track.tid).ends_with("PyTorch Profiler")) continue;
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (trace.category_name(lane.category(i)) == kSpanCategory &&
            trace.text(lane.name(i)).starts_with("PyTorch Profiler"))
          return lane.span(i);
  }
  return std::nullopt;
}

/// Finds the operator with an "External id": an array where the ids are dense, which they are in
/// one run of torch, else a hash table.
class OperatorsById {
 public:
  /// First all ids …
  void expect(std::uint64_t id) {
    least_ = std::min(least_, id);
    most_ = std::max(most_, id);
    ++count_;
  }
  /// … then the same with their events; the first event of an id counts.
  void add(std::uint64_t id, std::uint32_t event) {
    if (dense_.empty() && is_dense()) dense_.assign(most_ - least_ + 1, TorchEvents::kNone);
    if (dense_.empty()) {
      sparse_.try_emplace(id, event);
    } else if (dense_[id - least_] == TorchEvents::kNone) {
      dense_[id - least_] = event;
    }
  }
  std::uint32_t find(std::uint64_t id) const {
    if (!dense_.empty()) return id - least_ < dense_.size() ? dense_[id - least_] : TorchEvents::kNone;
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? TorchEvents::kNone : it->second;
  }

 private:
  bool is_dense() const { return most_ - least_ < 8 * (count_ + 1024) - 1; }

  std::uint64_t least_ = ~std::uint64_t{0};
  std::uint64_t most_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t, SeededHash> sparse_;
};

bool says_unfinished(const Trace& trace, SliceId slice) {
  const auto arguments = read_arguments(trace, slice);
  return arguments &&
         std::ranges::any_of(*arguments, [](const Argument& a) { return a.key == "finished" && a.value == "false"; });
}

}  // namespace

TorchEvents::TorchEvents(const Trace& trace, TimeSpan range, unsigned threads)
    : trace_(trace), threads_(std::max(threads, 1u)), texts_(trace.strings()) {
  for (const Category& category : trace.categories()) {
    const std::string_view name = trace.text(category.name);
    kind_of_category_.push_back(kind_of(name, category.meaning));
    if (!is_on_gpu(kind_of_category_.back()) && name.starts_with("xpu_")) device_name_ = "XPU";
  }
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) add_source(SourceId{s}, range);
  if (std::ranges::none_of(kinds_, is_on_gpu)) {
    device_name_.clear();
  } else if (device_name_.empty()) {
    device_name_ = "CUDA";
  }
}

void TorchEvents::add_source(SourceId source, TimeSpan range) {
  OrderOptions options;
  options.range = range;
  for (const Category& category : trace_.categories())
    options.skipped_categories.push_back(trace_.text(category.name) == kSpanCategory);
  options.skipped_names.assign(trace_.strings().size(), false);
  for (const std::string_view name : TorchNames::left_out())
    if (const StringId id = trace_.strings().find(name); id.valid()) options.skipped_names[id.value] = true;
  options.shift = find_annotation_shift(trace_, source);
  options.threads = threads_;
  const RawVector<OrderedSlice> slices = order_slices(trace_, source, options);
  if (slices.empty()) return;

  const std::uint32_t first = size();
  const std::optional<TimeSpan> span = profiler_span(trace_, source);
  append(slices, options.shift);
  if (span && range == TimeSpan::everything()) end_open_operators(first, *span);
  const Nanos origin = span ? span->begin : slices.front().start;
  for (std::uint32_t i = first; i < size(); ++i) {
    starts_[i] = saturating_sub(starts_[i], origin);
    ends_[i] = saturating_sub(ends_[i], origin);
  }
  parts_.push_back({source, first, size(), origin});
  link(first);
}

void TorchEvents::append(std::span<const OrderedSlice> slices, AnnotationShift shift) {
  const std::size_t first = starts_.size();
  const std::size_t total = first + slices.size();
  starts_.resize(total);
  ends_.resize(total);
  slices_.resize(total);
  names_.resize(total);
  thread_of_.resize(total);
  kinds_.resize(total);
  constexpr std::size_t kBlock = 100'000;
  parallel_for((slices.size() + kBlock - 1) / kBlock, threads_, [&](std::size_t block) {
    const std::size_t end = std::min((block + 1) * kBlock, slices.size());
    for (std::size_t k = block * kBlock; k < end; ++k) {
      const OrderedSlice& s = slices[k];
      const Lane& lane = trace_.lane(s.slice);
      const std::uint32_t i = s.slice.index;
      const std::uint32_t category = lane.category(i).value;
      const TorchKind kind = category < kind_of_category_.size() ? kind_of_category_[category] : TorchKind::kOtherCpu;
      const std::size_t to = first + k;
      starts_[to] = s.start;
      ends_[to] = lane.end(i) - (kind == TorchKind::kGpuAnnotation ? shift.late : 0);
      slices_[to] = s.slice;
      names_[to] = lane.name(i).value;
      thread_of_[to] = lane.track.value;
      kinds_[to] = kind;
    }
  });
  // Names are worked out when they are first asked for: one thread.
  for (std::size_t i = first; i < total; ++i) names_[i] = texts_.of(StringId{names_[i]});
}

void TorchEvents::end_open_operators(std::uint32_t first, TimeSpan span) {
  // Files by writers that do not say "finished" may have a span that ends early: give up on those.
  constexpr std::uint32_t kMostTried = 16;
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = first, tried = 0; i < size() && (!open.empty() || tried < kMostTried); ++i) {
    if (!is_torch_op(kinds_[i]) || ends_[i] <= span.end) continue;
    ++tried;
    if (says_unfinished(trace_, slices_[i])) open.push_back(i);
  }
  if (open.empty()) return;
  async_.resize(size(), false);
  for (const std::uint32_t i : open) async_[i] = true;
  std::vector<std::vector<Nanos>> stacks(thread_count());  // ends of what is open on each thread
  for (std::uint32_t i = first; i < size(); ++i) {
    if (is_on_gpu(kinds_[i])) continue;
    std::vector<Nanos>& stack = stacks[thread_of_[i]];
    while (!stack.empty() && stack.back() < starts_[i]) stack.pop_back();
    if (async_[i]) ends_[i] = stack.empty() ? span.end : stack.back();
    stack.push_back(ends_[i]);
  }
}

void TorchEvents::link(std::uint32_t first) {
  OperatorsById operators;
  std::array<std::uint32_t, 3> stopper{kNone, kNone, kNone};  // candidates, the best first
  for (std::uint32_t i = first; i < size(); ++i) {
    if (!is_torch_op(kinds_[i])) continue;
    const Lane& lane = trace_.lane(slices_[i]);
    if (const std::uint64_t id = lane.external_id(slices_[i].index); id != 0) operators.expect(id);
    if (stopper[2] == kNone) stopper[2] = thread_of_[i];
    if (stopper[1] == kNone) {
      const Track& track = trace_.track(lane.track);
      if (track.tid == trace_.process(track.process).pid) stopper[1] = thread_of_[i];
    }
    if (stopper[0] == kNone && kinds_[i] == TorchKind::kAnnotation &&
        trace_.name(slices_[i]).starts_with("ProfilerStep#"))
      stopper[0] = thread_of_[i];
  }
  for (std::uint32_t i = first; i < size(); ++i)
    if (is_torch_op(kinds_[i]))
      if (const std::uint64_t id = trace_.lane(slices_[i]).external_id(slices_[i].index); id != 0) operators.add(id, i);
  const auto best = std::ranges::find_if(stopper, [](std::uint32_t t) { return t != kNone; });
  // Kineto of PyTorch 2.0 to 2.2 writes the correlation as "External id" of runtime calls and GPU work. Where it is
  // also some operator's id, it names a wrong one: work belongs to the operator around its launch.
  bool by_launch = false;
  for (std::uint32_t i = first; i < size(); ++i) {
    if (kinds_[i] != TorchKind::kRuntime && kinds_[i] != TorchKind::kGpuWork) continue;
    const Lane& lane = trace_.lane(slices_[i]);
    const std::uint64_t id = lane.external_id(slices_[i].index);
    by_launch =
        id == 0 ? by_launch : id == lane.correlation(slices_[i].index) && (by_launch || operators.find(id) != kNone);
    if (id != 0 && id != lane.correlation(slices_[i].index)) break;
  }
  // The operator around a runtime call.
  const auto around = [&](SliceId call) {
    for (SliceId slice = call.valid() ? trace_.parent(call) : call; slice.valid(); slice = trace_.parent(slice)) {
      const Lane& lane = trace_.lane(slice);
      const std::uint32_t category = lane.category(slice.index).value;
      if (category < kind_of_category_.size() && is_torch_op(kind_of_category_[category]))
        if (const std::uint64_t id = lane.external_id(slice.index); id != 0) return operators.find(id);
    }
    return kNone;
  };

  for (std::uint32_t i = first; i < size(); ++i) {
    const TorchKind kind = kinds_[i];
    if (kind != TorchKind::kRuntime && kind != TorchKind::kGpuWork && kind != TorchKind::kGpuOther) continue;
    const Lane& lane = trace_.lane(slices_[i]);
    const std::uint64_t id = lane.external_id(slices_[i].index);
    std::uint32_t op = id == 0 ? kNone : operators.find(id);
    if (by_launch && kind != TorchKind::kGpuOther)
      op = around(kind == TorchKind::kRuntime ? slices_[i] : trace_.links().launch_of(slices_[i]));
    if (kind == TorchKind::kGpuOther && id == lane.correlation(slices_[i].index)) op = kNone;
    if (kind == TorchKind::kRuntime) {
      if (op != kNone) {
        thread_of_[i] = thread_of_[op];
      } else if (best != stopper.end()) {
        thread_of_[i] = *best;
      }
    } else if (op != kNone && !is_async(op)) {
      launches_.push_back({op, i});
    }
  }
}

}  // namespace lacuna
