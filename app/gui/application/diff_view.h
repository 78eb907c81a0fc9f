#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/application/structure_rows.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/files/loader.h"
#include "app/gui/models/statistics/statistics_view.h"
#include "app/gui/workspace/workspace.h"
#include "model/diff/trace_diff.h"

namespace lacuna {

/// Which rows of a comparison are shown.
enum class DiffRows { kAll, kNew, kVanished };

/// A comparison of the open trace (A) with another one (B), or of two files of the open trace. B is
/// a Workspace of its own, so that it has a timeline of its own. UI thread.
class DiffView {
 public:
  explicit DiffView(BackgroundJobs& jobs) : other_(jobs), loader_(jobs.wake()), job_(jobs) {}

  /// Loads B.
  void open(std::vector<std::string> paths, const ImportOptions& options);
  void close();
  bool is_loading() const { return loader_.is_loading(); }
  bool is_computing() const { return job_.is_busy(); }
  /// Why B could not be loaded; empty when it could.
  const std::string& error() const { return error_; }

  Workspace& other() { return other_; }
  const Workspace& other() const { return other_; }
  bool has_other() const { return other_.has_trace(); }
  /// Two timelines, one above the other.
  bool is_split() const { return has_other() && split; }
  bool split = true;
  /// B's file names; empty without B.
  std::string title() const;

  /// Starts the comparison with `a`, whose file number `file_a` is compared with file `file_b` of
  /// B, or of A itself where no B is open. Does nothing when that comparison is shown already.
  void ask(const DocumentPtr& a);
  std::size_t file_a = 0;
  std::size_t file_b = 1;
  /// B's document, or A's where no B is open.
  DocumentPtr document_b() const { return has_other() ? other_.document() : document_a_; }

  bool update();
  void settle();

  // The table.
  std::string filter;
  StatisticsSide side = StatisticsSide::kAll;
  DiffRows which = DiffRows::kAll;
  DiffKey key = DiffKey::kTotal;
  const TraceDiff* diff() const { return answer_ ? &sorted_ : nullptr; }
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  /// The indices in TraceDiff::kernels that pass the filter.
  const std::vector<std::uint32_t>& kernels() const { return kernels_; }
  /// The pair that is shown side by side: index in TraceDiff::kernels; nothing: the filter left none.
  std::optional<std::uint32_t> chosen_kernels() const { return chosen_kernels_; }
  void choose_kernels(std::uint32_t pair) { chosen_kernels_ = pair; }
  /// The places that are shown of TraceDiff::structure.
  StructureRows structure;

  /// Cameras of both timelines tied together, each with its own offset.
  bool is_locked = true;
  /// Makes the view that did not move follow the one that did. Call once a frame, before drawing.
  void synchronise(TimelineView& a);
  /// B's time less A's where both show the same place; first: the starts of the measured windows,
  /// or of the traces.
  Nanos offset() const { return offset_; }
  void set_offset(Nanos offset);
  void align_starts();

 private:
  struct Asked {
    DocumentPtr a, b;
    std::size_t file_a = 0, file_b = 0;
    bool operator==(const Asked&) const = default;
  };
  struct Shown {
    std::string filter;
    StatisticsSide side = StatisticsSide::kAll;
    DiffRows which = DiffRows::kAll;
    DiffKey key = DiffKey::kTotal;
    bool operator==(const Shown&) const = default;
  };

  Workspace other_;
  Loader loader_;
  std::string error_;
  DocumentPtr document_a_;
  Asked asked_;
  std::shared_ptr<const TraceDiff> answer_;
  TraceDiff sorted_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> kernels_;
  std::optional<std::uint32_t> chosen_kernels_;
  std::optional<Shown> shown_;
  Nanos offset_ = 0;
  bool needs_offset_ = true;
  Camera seen_a_, seen_b_;  // after the last synchronise()
  LatestJob<TraceDiff> job_;
};

}  // namespace lacuna
