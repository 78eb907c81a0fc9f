#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/job/late_waits.h"
#include "model/path/what_if.h"

namespace lacuna {

/// Predicts the step times of a document with changes that the user picks, and ranks which would gain most. Replays
/// run in the background. UI thread.
class WhatIfView {
 public:
  struct Answer {
    DocumentPtr document;
    std::size_t source = 0;
    std::vector<WhatIfGain> ranking;    ///< without changes that gain nothing
    std::vector<WhatIfChange> changes;  ///< the changes of `prediction`
    WhatIfAnswer prediction;
    std::string error;  ///< why there is no prediction; empty: there is one
  };

  explicit WhatIfView(BackgroundJobs& jobs) : job_(jobs) {}
  ~WhatIfView() { reset(); }

  /// Replays the document's `source` with the chosen changes. Partly loaded traces get no answer.
  void ask(const DocumentPtr& document);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until the first answer; of the previous changes while the new ones are computed.
  const Answer* answer() const { return answer_.get(); }

  std::size_t source = 0;  ///< the file replayed
  const std::vector<WhatIfChange>& changes() const { return changes_; }
  bool has(const WhatIfChange& change) const;
  /// Adds the change, or removes it if it is there already.
  void toggle(const WhatIfChange& change);
  /// Sets the factor of one of changes(), which must scale the duration of slices.
  void set_factor(std::size_t change, double factor) { changes_[change].factor = factor; }
  void clear() { changes_.clear(); }

 private:
  struct Asked {
    DocumentPtr document;
    std::size_t source = 0;
    std::vector<std::string> changes;  ///< in their typed form
    bool operator==(const Asked&) const = default;
  };
  /// State that a worker keeps from one question to the next. Used by one worker at a time.
  struct Kept {
    DocumentPtr document;
    WhatIf what_if;
    std::optional<std::vector<WhatIfGain>> ranking;
    Kept(DocumentPtr of, std::size_t source)
        : document(std::move(of)),
          what_if(document->trace, SourceId{static_cast<std::uint32_t>(source)}, TimeSpan::everything(),
                  late_ranks_or_none(document->trace)) {}
  };
  struct Slot {
    std::size_t source = 0;
    std::unique_ptr<Kept> kept;
  };

  std::optional<Asked> asked_;
  std::vector<WhatIfChange> changes_;
  std::shared_ptr<Slot> slot_;  ///< used by the worker
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

/// Returns a change in words: "Without gaps for synchronisation"; for kScale only its name, to follow what_if_factor().
std::string what_if_words(const WhatIfChange& change);
/// Returns "½ ×", "0.3 ×"; empty for kinds other than kScale.
std::string what_if_factor(const WhatIfChange& change);

}  // namespace lacuna
