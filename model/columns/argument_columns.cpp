#include "model/columns/argument_columns.h"

#include <array>
#include <span>
#include <string_view>

#include "model/columns/argument_scan.h"
#include "model/columns/shared_texts.h"

namespace lacuna {
namespace {

/// What one worker of a scan needs.
struct Worker {
  explicit Worker(SharedTexts& shared) : memo(shared) {}
  TextMemo memo;
  std::string text;
};

/// The lanes of one source that hold what is wanted, made ready to take numbers.
template <class Entry, class IsWanted>
std::vector<LaneId> prepare_lanes(const Trace& trace, SourceId source, TrackKind kind, const IsWanted& is_wanted,
                                  ArgumentColumn<Entry>& column) {
  std::vector<LaneId> lanes;
  column.ids.resize(trace.lanes().size());
  for (const Track& track : trace.tracks()) {
    const bool is_captured = kind == TrackKind::kThread && track.kind == TrackKind::kCaptured;
    if ((track.kind != kind && !is_captured) || trace.process(track.process).source != source) continue;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      std::uint32_t i = 0;
      while (i < lane.size() && !is_wanted(lane, i)) ++i;
      if (i == lane.size()) continue;
      column.ids[id.value].resize(lane.size(), 0);
      lanes.push_back(id);
    }
  }
  return lanes;
}

/// Texts that belong together as one, told apart from any others.
void join(std::string& text, std::span<const std::string_view> parts) {
  text.clear();
  for (const std::string_view part : parts) {
    const auto size = static_cast<std::uint32_t>(part.size());
    text.append(reinterpret_cast<const char*>(&size), sizeof size);
    text += part;
  }
}

Result<ArgumentColumns::Operators> read_operators(const Trace& trace, SourceId source, unsigned threads,
                                                  const std::atomic<bool>* cancel) {
  constexpr std::array<std::string_view, 1> kDims{"Input Dims"};
  constexpr std::array<std::string_view, 3> kFlops{"Input Dims", "Concrete Inputs", "Input type"};
  const std::array<std::span<const std::string_view>, 2> keys{kDims, kFlops};
  std::vector<std::uint8_t> has_formula(trace.strings().size());
  for (std::uint32_t n = 0; n < has_formula.size(); ++n) has_formula[n] = has_flop_formula(trace.text(StringId{n}));

  ArgumentColumns::Operators column;
  column.entries.emplace_back();
  SharedTexts texts;
  std::vector<Worker> workers(std::max(threads, 1u), Worker(texts));
  const auto wanted = [&](const Lane& lane, std::uint32_t i) {
    switch (trace.category_class(lane.category(i))) {
      case CategoryClass::kCpuOperator:
        return int{has_formula[lane.name(i).value]};
      case CategoryClass::kCpuAnnotation:
        return 0;
      default:
        return -1;
    }
  };
  const std::vector<LaneId> lanes = prepare_lanes(
      trace, source, TrackKind::kThread, [&](const Lane& lane, std::uint32_t i) { return wanted(lane, i) >= 0; },
      column);
  ArgumentScan scan;
  scan.source = source;
  scan.lanes = lanes;
  scan.wanted = wanted;
  scan.keys = keys;
  scan.threads = threads;
  scan.cancel = cancel;
  scan.visit = [&](unsigned w, SliceId slice, std::span<const std::string_view> values) {
    if (values[0].empty()) return;
    Worker& worker = workers[w];
    std::uint32_t& id = column.ids[slice.lane.value][slice.index];
    if (values.size() == 1) {
      id = worker.memo.number(values[0], [&](std::uint32_t) {
        column.entries.push_back({std::string(values[0]), -1, FlopType::kFp32});
      });
      return;
    }
    const std::string_view name = trace.name(slice);
    join(worker.text, std::array{name, values[0], values[1], values[2]});
    id = worker.memo.number(worker.text, [&](std::uint32_t) {
      column.entries.push_back(
          {std::string(values[0]), operator_flops(name, values[0], values[1]), flop_type(values[2])});
    });
  };
  if (const auto read = scan_arguments(trace, scan); !read) return tl::make_unexpected(read.error());
  return column;
}

Result<ArgumentColumns::Gpu> read_gpu(const Trace& trace, SourceId source, unsigned threads,
                                      const std::atomic<bool>* cancel) {
  const std::array<std::span<const std::string_view>, 1> keys{gpu_argument_keys()};
  ArgumentColumns::Gpu column;
  column.entries.emplace_back();
  SharedTexts texts;
  std::vector<Worker> workers(std::max(threads, 1u), Worker(texts));
  const auto is_activity = [&](const Lane& lane, std::uint32_t i) {
    return is_gpu_activity(trace.category_class(lane.category(i)));
  };
  const std::vector<LaneId> lanes = prepare_lanes(trace, source, TrackKind::kGpuStream, is_activity, column);
  ArgumentScan scan;
  scan.source = source;
  scan.lanes = lanes;
  scan.wanted = [&](const Lane& lane, std::uint32_t i) { return is_activity(lane, i) ? 0 : -1; };
  scan.keys = keys;
  scan.threads = threads;
  scan.cancel = cancel;
  scan.visit = [&](unsigned w, SliceId slice, std::span<const std::string_view> values) {
    Worker& worker = workers[w];
    join(worker.text, values);
    column.ids[slice.lane.value][slice.index] =
        worker.memo.number(worker.text, [&](std::uint32_t) { column.entries.push_back(parse_gpu_arguments(values)); });
  };
  if (const auto read = scan_arguments(trace, scan); !read) return tl::make_unexpected(read.error());
  return column;
}

}  // namespace

template <class Entry>
std::size_t ArgumentColumn<Entry>::memory_bytes() const {
  std::size_t sum = entries.capacity() * sizeof(Entry);
  if constexpr (std::is_same_v<Entry, OperatorArguments>)
    for (const Entry& entry : entries) sum += entry.dims.capacity();
  if constexpr (std::is_same_v<Entry, GpuArguments>)
    for (const Entry& entry : entries) sum += entry.annotation.capacity();
  for (const PageVector<std::uint32_t>& lane : ids) sum += lane.capacity() * sizeof(std::uint32_t);
  return sum;
}
template struct ArgumentColumn<OperatorArguments>;
template struct ArgumentColumn<GpuArguments>;

template <class Column, class Read>
Result<std::shared_ptr<const Column>> ArgumentColumns::keep(BySource<Column>& all, SourceId source, const Read& read) {
  Kept<Column>* kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    kept = &all[source];
  }
  const std::lock_guard lock(kept->mutex);
  if (!kept->column) {
    Result<Column> column = read();
    if (!column) return tl::make_unexpected(column.error());
    kept->column = std::make_shared<const Column>(std::move(*column));
    bytes_ += kept->column->memory_bytes();
  }
  return kept->column;
}

Result<ArgumentColumns::OperatorsPtr> ArgumentColumns::operators(const Trace& trace, SourceId source, unsigned threads,
                                                                 const std::atomic<bool>* cancel) {
  return keep(operators_, source, [&] { return read_operators(trace, source, threads, cancel); });
}

Result<ArgumentColumns::GpuPtr> ArgumentColumns::gpu(const Trace& trace, SourceId source, unsigned threads,
                                                     const std::atomic<bool>* cancel) {
  return keep(gpu_, source, [&] { return read_gpu(trace, source, threads, cancel); });
}

}  // namespace lacuna
