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

/// The search of one open trace: what was typed, how many slices that finds (at once where names and
/// categories decide, else when the worker is done), all of them in order, and which one is current.
/// A new text cancels the search under way. UI thread.
class Search {
 public:
  explicit Search(BackgroundJobs& jobs) : job_(jobs) {}
  ~Search() { cancel(); }

  /// Searches the new document for the same text; null: nothing.
  void open(DocumentPtr document);
  void set_text(std::string text);
  const std::string& text() const { return text_; }
  const SearchQuery& query() const { return query_; }
  bool is_active() const { return !query_.empty(); }

  /// Fetches what the worker found. True when something changed.
  bool update();
  bool is_computing() const { return job_.is_busy(); }
  void settle() {
    job_.wait();
    update();
  }

  /// The number of slices found; nothing while it is not known.
  std::optional<std::uint64_t> count() const;
  /// Null while not all slices are found; changes only in open, set_text and update.
  const std::shared_ptr<const SliceMatches>& matches() const { return matches_; }
  /// What by name and category alone passes; of the last text.
  const SliceFilter& filter() const { return filter_; }

  std::optional<std::size_t> current() const { return current_; }
  /// The next (+1) or previous (-1) one, around the ends; from `from` when none is current. Invalid
  /// when there is none, or not yet: then update() makes the step later (take_late_step).
  SliceId step(int direction, Nanos from);
  /// A step that was asked for before the answer was there.
  SliceId take_late_step();
  /// Makes the slice current if it is found, else leaves none current.
  void point_at(SliceId slice);

 private:
  void start();
  void cancel();

  DocumentPtr document_;
  std::string text_;
  SearchQuery query_;
  NameSearch names_;
  const Document* names_of_ = nullptr;  ///< what names_ was made from
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
