#pragma once
// The options that the command line passes to the graphical part. Outside app/gui, so that the command line
// builds without it.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/session/live_plan.h"
#include "model/base/asked_range.h"
#include "model/base/time.h"
#include "model/import/importer.h"

namespace lacuna {

struct RemotePlan;

/// The options of `lacuna attach`.
struct AttachPlan {
  std::string socket;  ///< of a recording that another process makes
  KeepLimit keep;
  int process = 0;  ///< > 0: the id of a dormant program to wake; used in place of the socket
};

/// The options of `lacuna TRACE…`.
struct WindowOptions {
  std::vector<std::string> paths;  ///< loaded into one view, side by side; empty = empty window
  ImportOptions import;
  std::optional<LivePlan> live;  ///< `lacuna live`: launched at once
  std::optional<AttachPlan> attach;
  std::shared_ptr<RemotePlan> remote;  ///< opened in place of `paths`; null: none
};

/// The options of `lacuna web`.
struct WebOptions {
  WindowOptions window;
  int port = 0;                       ///< 0: the first free one from 8730 on
  std::string address = "127.0.0.1";  ///< that is listened on
  bool opens = false;                 ///< starts a browser here
  Nanos idle_exit = 0;                ///< duration without an open page after which the server ends; 0: never
  std::vector<std::string> origins;   ///< of other pages that may show it, as "https://hub.example.org"
};

/// The values of `lacuna screenshot --panel`.
inline constexpr auto kScreenshotPanels = std::to_array<std::string_view>({"statistics",
                                                                           "torch",
                                                                           "gaps",
                                                                           "causes",
                                                                           "operators",
                                                                           "dead-windows",
                                                                           "report",
                                                                           "job",
                                                                           "sql",
                                                                           "compare",
                                                                           "import",
                                                                           "calls",
                                                                           "calls-gpu",
                                                                           "calls-idle",
                                                                           "calls-table",
                                                                           "path",
                                                                           "calls-path",
                                                                           "what-if",
                                                                           "roofline",
                                                                           "memory",
                                                                           "memory-allocations",
                                                                           "memory-segments",
                                                                           "memory-allocator",
                                                                           "memory-fragmentation",
                                                                           "memory-flames",
                                                                           "memory-findings",
                                                                           "memory-checkpointing",
                                                                           "memory-compare"});

/// The options of `lacuna screenshot`.
struct ScreenshotOptions {
  std::vector<std::string> paths;
  std::string output;     ///< PNG file, overwritten
  int width = 1600;       ///< pixels, 320 … 16384
  int height = 900;       ///< pixels, 240 … 16384
  float scale = 1;        ///< size of text and rows, 0.5 … 4; 2 suits 3840x2160
  float density = 1;      ///< pixels per layout unit, 1 … 4: as on a screen that its system scales
  bool light = false;     ///< light theme instead of the dark one
  bool by_class = false;  ///< GPU work in the colours of classes
  AskedRange range;       ///< visible: both ends or neither
  std::string select;     ///< selects the longest slice with this name; empty = none
  std::string panel;      ///< one of kScreenshotPanels; empty = statistics
  std::string compare;    ///< a second trace to compare with; empty = none
  ImportOptions import;
};

}  // namespace lacuna
