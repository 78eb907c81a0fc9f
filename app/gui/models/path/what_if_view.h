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

/// What the steps of a document would take with changes that the user picks, and what would gain most. Replayed in the
/// background. UI thread.
class WhatIfView {
 public:
  struct Answer {
    DocumentPtr document;
    std::size_t source = 0;
    std::vector<WhatIfGain> ranking;    ///< what gains nothing is left out
    std::vector<WhatIfChange> changes;  ///< that `prediction` is with
    WhatIfAnswer prediction;
    std::string error;  ///< why there is no prediction; empty: there is one
  };

  explicit WhatIfView(BackgroundJobs& jobs) : job_(jobs) {}
  ~WhatIfView() { reset(); }

  /// Replays the document's `source` with the changes chosen. Parts of a trace get no answer.
  void ask(const DocumentPtr& document);
  bool update();
  void settle();
  void reset();
  bool is_computing() const { return job_.is_busy(); }

  /// Null until the first one is there; that of other changes while the new one is computed.
  const Answer* answer() const { return answer_.get(); }

  std::size_t source = 0;  ///< the file it is about
  const std::vector<WhatIfChange>& changes() const { return changes_; }
  bool has(const WhatIfChange& change) const;
  /// Adds it, or takes it away where it is there already.
  void toggle(const WhatIfChange& change);
  /// Of one of changes(), which is about slices that take longer or shorter.
  void set_factor(std::size_t change, double factor) { changes_[change].factor = factor; }
  void clear() { changes_.clear(); }

 private:
  struct Asked {
    DocumentPtr document;
    std::size_t source = 0;
    std::vector<std::string> changes;  ///< as they are typed
    bool operator==(const Asked&) const = default;
  };
  /// What a worker keeps from one question to the next. One worker at a time has it.
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
  std::shared_ptr<Slot> slot_;  ///< the worker's
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

/// A change in words: "Without gaps for synchronisation"; of kScale its name alone, after what_if_factor().
std::string what_if_words(const WhatIfChange& change);
/// "½ ×", "0.3 ×"; empty for other kinds than kScale.
std::string what_if_factor(const WhatIfChange& change);

}  // namespace lacuna
