#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/base/page_memory.h"
#include "model/base/result.h"
#include "model/columns/flops.h"
#include "model/columns/gpu_arguments.h"
#include "model/trace/kept_with_trace.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The args of an operator (or annotation) that tables use; shared by many slices.
struct OperatorArguments {
  std::string dims;   ///< "Input Dims" as written in the file; empty: it says nothing
  double flops = -1;  ///< operator_flops(); < 0: no formula, or insufficient args
  FlopType flop_type = FlopType::kFp32;
};

/// One of `entries` for each slice: 4 bytes per slice, as texts repeat.
template <class Entry>
struct ArgumentColumn {
  std::vector<Entry> entries;                  ///< [0]: no args
  std::vector<PageVector<std::uint32_t>> ids;  ///< by lane; empty for lanes without any

  std::uint32_t id(SliceId slice) const {
    const PageVector<std::uint32_t>& lane = ids[slice.lane.value];
    return lane.empty() ? 0 : lane[slice.index];
  }
  const Entry& of(SliceId slice) const { return entries[id(slice)]; }
  std::size_t memory_bytes() const;
};

/// The args of a trace that several tables use (see argument_columns()): read from the
/// file in one pass on first use, then kept as long as the trace. Equal texts are
/// parsed once.
///
/// A pass costs about 0.1 us per event, and as much again if the file must be read from a disk; it
/// keeps 4 bytes for each slice of a lane that has such slices. Any thread may call; concurrent callers
/// wait while a column is read. Errors are those of reading args, and kCancelled if `cancel`
/// was set meanwhile; after an error the next call tries again.
class ArgumentColumns : public KeptWithTrace {
 public:
  using Operators = ArgumentColumn<OperatorArguments>;
  using Gpu = ArgumentColumn<GpuArguments>;

  using OperatorsPtr = std::shared_ptr<const Operators>;
  using GpuPtr = std::shared_ptr<const Gpu>;

  /// Returns the columns of the CPU operators and annotations of one source.
  Result<OperatorsPtr> operators(const Trace& trace, SourceId source, unsigned threads = 2,
                                 const std::atomic<bool>* cancel = nullptr);
  /// Returns the columns of the kernels, copies and sets of one source.
  Result<GpuPtr> gpu(const Trace& trace, SourceId source, unsigned threads = 2,
                     const std::atomic<bool>* cancel = nullptr);

  /// Bytes held at present.
  std::size_t memory_bytes() const override { return bytes_; }

 private:
  template <class Column>
  struct Kept {
    std::mutex mutex;
    std::shared_ptr<const Column> column;
  };
  template <class Column>
  using BySource = std::map<SourceId, Kept<Column>>;
  /// Returns the stored column, or reads it now.
  template <class Column, class Read>
  Result<std::shared_ptr<const Column>> keep(BySource<Column>& all, SourceId source, const Read& read);

  std::mutex mutex_;  // guards the maps; their elements never move
  BySource<Operators> operators_;
  BySource<Gpu> gpu_;
  std::atomic<std::size_t> bytes_{0};
};

/// Returns the columns of this trace, which are kept with it. Any thread may call.
inline ArgumentColumns& argument_columns(const Trace& trace) {
  return trace.arguments_place().get<ArgumentColumns>();
}

}  // namespace lacuna
