#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "capture/remote/remote_page.h"
#include "model/report/what_if_table.h"

namespace lacuna {

/// Predicts the step times of a document with changes that the user picks, and ranks which would gain most. Replays
/// run in the background. UI thread.
class WhatIfView {
 public:
  struct Answer {
    DocumentPtr document;
    std::size_t source = 0;
    std::vector<WhatIfChange> changes;  ///< those of the prediction
    WhatIfTable table;
  };

  explicit WhatIfView(BackgroundJobs& jobs) : job_(jobs) {}
  ~WhatIfView() { reset(); }

  /// Replays the document's `source` with the chosen changes. Partly loaded traces get no answer; of a trace on another
  /// machine the window asks that (AskedWhatIf).
  void ask(const DocumentPtr& document);
  bool update();
  void settle();
  void reset();
  bool is_computing() const;

  /// Null until the first answer; of the previous changes while the new ones are computed.
  const Answer* answer() const { return answer_.get(); }

  std::size_t source = 0;  ///< the file replayed
  /// The question to another machine, if may_be_asked(changes()).
  AskedWhatIf asked() const;
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
    std::vector<WhatIfChange> changes;
    bool operator==(const Asked&) const = default;
  };
  /// What the worker keeps from one question to the next.
  struct Tables {
    DocumentPtr document;
    WhatIfTables tables;
    explicit Tables(const DocumentPtr& of) : document(of), tables(of->trace) {}
  };

  void forget();
  void take_remote();
  /// Whether the answer is one to what was asked.
  bool is_answered() const;

  std::optional<Asked> asked_;
  std::vector<WhatIfChange> changes_;
  std::shared_ptr<Tables> tables_;  ///< used by the worker
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

/// Returns a change in words: "Without gaps for synchronisation"; for kScale only its name, to follow what_if_factor().
std::string what_if_words(const WhatIfChange& change);
/// Returns "½ ×", "0.3 ×"; empty for kinds other than kScale.
std::string what_if_factor(const WhatIfChange& change);

}  // namespace lacuna
