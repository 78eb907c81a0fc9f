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

/// What the args of an operator (or annotation) say to a table; many share one.
struct OperatorArguments {
  std::string dims;   ///< "Input Dims" as written in the file; empty: it says nothing
  double flops = -1;  ///< operator_flops(); < 0: no formula, or the args say too little
  FlopType flop_type = FlopType::kFp32;
};

/// One of `entries` for each slice: 4 bytes a slice, as texts repeat.
template <class Entry>
struct ArgumentColumn {
  std::vector<Entry> entries;                  ///< [0]: nothing is said
  std::vector<PageVector<std::uint32_t>> ids;  ///< by lane; empty where no slice has any

  std::uint32_t id(SliceId slice) const {
    const PageVector<std::uint32_t>& lane = ids[slice.lane.value];
    return lane.empty() ? 0 : lane[slice.index];
  }
  const Entry& of(SliceId slice) const { return entries[id(slice)]; }
  std::size_t memory_bytes() const;
};

/// What several tables ask of the args of a trace (see argument_columns()): read from the
/// file in one pass when the first of them asks, then kept as long as the trace. Equal texts are
/// looked at once.
///
/// A pass costs about 0.1 us an event, and as much again where the file must be read from a disk; it
/// keeps 4 bytes for each slice of a lane that has such slices. Any thread may ask; who comes while
/// the column is read waits for it. Errors are those of reading args back, kCancelled when `cancel`
/// was set meanwhile; after an error the next one tries again.
class ArgumentColumns : public KeptWithTrace {
 public:
  using Operators = ArgumentColumn<OperatorArguments>;
  using Gpu = ArgumentColumn<GpuArguments>;

  using OperatorsPtr = std::shared_ptr<const Operators>;
  using GpuPtr = std::shared_ptr<const Gpu>;

  /// The columns of the CPU operators and annotations of one source.
  Result<OperatorsPtr> operators(const Trace& trace, SourceId source, unsigned threads = 2,
                                 const std::atomic<bool>* cancel = nullptr);
  /// The columns of the kernels, copies and sets of one source.
  Result<GpuPtr> gpu(const Trace& trace, SourceId source, unsigned threads = 2,
                     const std::atomic<bool>* cancel = nullptr);

  /// Held now.
  std::size_t memory_bytes() const override { return bytes_; }

 private:
  template <class Column>
  struct Kept {
    std::mutex mutex;
    std::shared_ptr<const Column> column;
  };
  template <class Column>
  using BySource = std::map<SourceId, Kept<Column>>;
  /// The column kept, or read now.
  template <class Column, class Read>
  Result<std::shared_ptr<const Column>> keep(BySource<Column>& all, SourceId source, const Read& read);

  std::mutex mutex_;  // of the maps; what is in them stays where it is
  BySource<Operators> operators_;
  BySource<Gpu> gpu_;
  std::atomic<std::size_t> bytes_{0};
};

/// The columns of this trace, which are kept with it. Any thread may ask.
inline ArgumentColumns& argument_columns(const Trace& trace) {
  return trace.arguments_place().get<ArgumentColumns>();
}

}  // namespace lacuna
