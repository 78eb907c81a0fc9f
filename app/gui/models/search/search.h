#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/search/slice_search.h"

namespace lacuna {

/// The search of one open trace: its text, the number of matching slices (known at once if only names and
/// categories matter, else when the worker is done), all of them in order, and the current one.
/// A new text cancels the running search. UI thread.
class Search {
 public:
  explicit Search(BackgroundJobs& jobs) : job_(jobs) {}
  ~Search() { cancel(); }

  /// Searches the new document for the same text; null: no document.
  void open(DocumentPtr document);
  void set_text(std::string text);
  const std::string& text() const { return text_; }
  const SearchQuery& query() const { return query_; }
  bool is_active() const { return !query_.empty(); }

  /// Takes the worker's result. Returns true when something changed.
  bool update();
  bool is_computing() const { return job_.is_busy(); }
  void settle() {
    job_.wait();
    update();
  }

  /// Returns the number of slices found; nothing while unknown.
  std::optional<std::uint64_t> count() const;
  /// Null until all slices are found; changes only in open, set_text and update.
  const std::shared_ptr<const SliceMatches>& matches() const { return matches_; }
  /// Returns the slices that pass by name and category alone; of the latest text.
  const SliceFilter& filter() const { return filter_; }

  std::optional<std::size_t> current() const { return current_; }
  /// Returns the next (+1) or previous (-1) slice and wraps around; starts from `from` if none is current. Invalid
  /// if there is none, or none yet: then update() makes the step later (take_late_step).
  SliceId step(int direction, Nanos from);
  /// Returns the result of a step requested before the answer was there.
  SliceId take_late_step();
  /// Makes the slice current if it was found; otherwise none is current.
  void point_at(SliceId slice);

 private:
  void start();
  void cancel();

  DocumentPtr document_;
  std::string text_;
  SearchQuery query_;
  NameSearch names_;
  const Document* names_of_ = nullptr;  ///< the document of names_
  SliceFilter filter_;
  std::optional<std::uint64_t> known_count_;
  std::shared_ptr<const SliceMatches> matches_;
  bool is_stale_ = false;  ///< matches_ are of an earlier text
  std::optional<std::size_t> current_;
  int late_step_ = 0;
  Nanos late_from_ = 0;
  std::shared_ptr<std::atomic<bool>> stop_;
  LatestJob<SliceMatches> job_;
};

}  // namespace lacuna
