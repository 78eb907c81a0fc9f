// `lacuna screenshot`: the same Shell as in the window, drawn off-screen.

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "app/gui/gui.h"
#include "app/gui/platform/offscreen.h"
#include "app/gui/platform/png.h"
#include "app/gui/shell/graphics.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "model/job/load_job.h"

namespace lacuna {
namespace {

// Enough for ImGui to know every size and for the tables to be sorted.
constexpr int kFrames = 6;
constexpr double kFrameSeconds = 1.0 / 60;

/// Ends what was begun, whichever way the function is left.
struct ImGuiScope {
  bool has_renderer = false;
  ImGuiScope() { create_imgui(); }
  ~ImGuiScope() {
    if (has_renderer) stop_renderer();
    destroy_imgui();
  }
};

void show_calls(App& app, CallMetric metric, bool as_table) {
  app.calls.metric = metric;
  app.calls.as_table = as_table;
  app.show_page(DrawerPage::kCalls);
}

void show_memory(App& app, MemoryShows shows) {
  app.memory.shows = shows;
  app.show_page(DrawerPage::kMemory);
}

/// What --panel can show.
struct Panel {
  std::string_view name;
  void (*show)(App&);
};
constexpr std::array kPanels = {
    Panel{"statistics", [](App& a) { a.show_table(false); }},
    Panel{"torch", [](App& a) { a.show_table(true); }},
    Panel{"gaps", [](App& a) { a.show_gaps(GapsView::kList); }},
    Panel{"causes", [](App& a) { a.show_gaps(GapsView::kCauses); }},
    Panel{"operators", [](App& a) { a.show_gaps(GapsView::kOperators); }},
    Panel{"dead-windows", [](App& a) { a.show_gaps(GapsView::kDeadWindows); }},
    Panel{"report", [](App& a) { a.show_page(DrawerPage::kReport); }},
    Panel{"job", [](App& a) { a.show_page(DrawerPage::kJob); }},
    Panel{"sql",
          [](App& a) {
            a.query.text =
                "SELECT cause, COUNT(*) AS gaps, SUM(dur) AS idle\nFROM gap\nGROUP BY cause\nORDER BY idle DESC";
            a.show_page(DrawerPage::kQuery);
            a.query.run(a.workspace.document());
          }},
    Panel{"compare", [](App& a) { a.show_page(DrawerPage::kCompare); }},
    Panel{"import", [](App& a) { a.show_page(DrawerPage::kImport); }},
    Panel{"calls", [](App& a) { a.show_page(DrawerPage::kCalls); }},
    Panel{"calls-gpu", [](App& a) { show_calls(a, CallMetric::kGpuTime, false); }},
    Panel{"calls-idle", [](App& a) { show_calls(a, CallMetric::kIdleTime, false); }},
    Panel{"calls-table", [](App& a) { show_calls(a, CallMetric::kCpuTime, true); }},
    Panel{"path",
          [](App& a) {
            a.path.is_drawn = true;
            a.show_page(DrawerPage::kPath);
          }},
    Panel{"calls-path", [](App& a) { show_calls(a, CallMetric::kPath, false); }},
    Panel{"what-if", [](App& a) { a.show_page(DrawerPage::kWhatIf); }},
    Panel{"roofline", [](App& a) { a.show_page(DrawerPage::kRoofline); }},
    Panel{"memory", [](App& a) { show_memory(a, MemoryShows::kHolders); }},
    Panel{"memory-allocations", [](App& a) { show_memory(a, MemoryShows::kAllocations); }},
    Panel{"memory-segments", [](App& a) { show_memory(a, MemoryShows::kSegments); }},
    Panel{"memory-allocator", [](App& a) { show_memory(a, MemoryShows::kAllocator); }},
    Panel{"memory-fragmentation", [](App& a) { show_memory(a, MemoryShows::kFragmentation); }},
    Panel{"memory-flames", [](App& a) { show_memory(a, MemoryShows::kFlames); }},
    Panel{"memory-findings", [](App& a) { show_memory(a, MemoryShows::kFindings); }},
    Panel{"memory-checkpointing", [](App& a) { show_memory(a, MemoryShows::kCheckpointing); }},
    Panel{"memory-compare", [](App& a) { show_memory(a, MemoryShows::kCompare); }},
};

static_assert(std::ranges::equal(kPanels, kScreenshotPanels, {}, &Panel::name), "the help lists others");

bool is_panel(std::string_view name) {
  return std::ranges::find(kPanels, name, &Panel::name) != kPanels.end();
}

/// Whether a file is there that no picture may replace: a trace that somebody names by mistake is not lost.
bool is_no_picture(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;  // a pipe would not end
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> head{};
  const bool has_any = file && (file.read(head.data(), head.size()), file.gcount() > 0);
  return has_any && std::string_view(head.data(), head.size()) != "\x89PNG";
}

std::optional<Error> check(const ScreenshotOptions& o) {
  const auto invalid = [](std::string cause) { return Error{ErrorCode::kInvalidArgument, std::move(cause), {}, {}}; };
  if (o.paths.empty()) return invalid("no trace to draw");
  if (o.output.empty()) return invalid("no output file");
  if (is_no_picture(o.output))
    return Error{ErrorCode::kInvalidArgument, "exists and is not a PNG, so it was not replaced", o.output, {}};
  if (o.width < 320 || o.width > 16384 || o.height < 240 || o.height > 16384) {
    return invalid("the size must lie between 320x240 and 16384x16384");
  }
  if (!(o.scale >= 0.5f && o.scale <= 4)) return invalid("the scale must lie between 0.5 and 4");
  if (o.range.from.has_value() != o.range.to.has_value()) {
    return invalid("a range needs both its start and its end");
  }
  if (o.range.from && *o.range.from >= *o.range.to) return invalid("the range is empty");
  if (!o.panel.empty() && !is_panel(o.panel)) {
    return invalid("no panel is called \"" + o.panel + "\"");
  }
  return std::nullopt;
}

Result<void> arrange(App& app, const ScreenshotOptions& o) {
  Workspace& workspace = app.workspace;
  if (!o.select.empty()) {
    const SliceId slice = find_longest(workspace.trace(), o.select);
    if (!slice.valid()) {
      return fail(ErrorCode::kInvalidArgument, "no slice is named \"" + o.select + "\"");
    }
    if (o.range.from) {
      workspace.select(slice);
      workspace.view().reveal(slice);
    } else {
      // A third of the picture, with what surrounds it.
      const TimeSpan span = workspace.trace().span(slice);
      const Nanos room = std::max<Nanos>(span.duration(), 500);
      workspace.select(slice);
      workspace.view().go_to({saturating_sub(span.begin, room), saturating_add(span.end, room)}, 0);
      workspace.view().reveal(slice);
    }
  }
  if (o.range.from) workspace.view().go_to(o.range.in(workspace.trace().span()), 0);
  if (const auto panel = std::ranges::find(kPanels, o.panel, &Panel::name); panel != kPanels.end()) panel->show(app);
  return {};
}

void draw_frame(App& app, Shell& shell, const OffscreenContext& target, float density) {
  app.update();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(target.width()) / density, static_cast<float>(target.height()) / density};
  io.DisplayFramebufferScale = {density, density};
  io.DeltaTime = static_cast<float>(kFrameSeconds);
  renderer_new_frame();
  ImGui::NewFrame();
  shell.draw(kFrameSeconds);
  ImGui::Render();
  render_frame(shell.theme().background, target.width(), target.height());
}

}  // namespace

Result<void> take_screenshot(const ScreenshotOptions& options) {
  if (const std::optional<Error> error = check(options)) return tl::make_unexpected(*error);
  ImportProgress progress;
  const bool is_job = name_digests(options.paths);
  if (is_job && (!options.select.empty() || options.range.from || !options.compare.empty()))
    return fail(ErrorCode::kInvalidArgument, "digests have no timeline to select, cut or compare",
                options.paths.front());
  Result<DocumentPtr> document = DocumentPtr();
  if (!is_job) document = load_document(options.paths, options.import, progress);
  if (!document) return tl::make_unexpected(document.error());
  // Here nobody waits for the next frame, and the picture does not depend on it.
  static const std::atomic<bool> kNever{false};
  const std::jthread keeper = start_thread([read = *document] {
    if (read) (void)run_guarded([&] { keep_document(*read, kNever); }, [](std::string_view) {});
  });

  auto target = OffscreenContext::open(options.width, options.height);
  if (!target) return tl::make_unexpected(target.error());
  ImGuiScope imgui;
  imgui.has_renderer = start_renderer(OffscreenContext::load);
  if (!imgui.has_renderer) {
    return fail(ErrorCode::kUnsupported, "cannot draw with this OpenGL driver");
  }

  Settings settings;
  settings.light_theme = options.light;
  settings.colour_by_class = options.by_class;
  App app(settings, [] {});
  app.workspace.view().set_animated(false);
  if (is_job)
    app.open_job(options.paths);
  else
    app.workspace.open(std::move(*document));
  if (!options.compare.empty()) {
    const std::string other[] = {options.compare};
    Result<DocumentPtr> compared = load_document(other, options.import, progress);
    if (!compared) return tl::make_unexpected(compared.error());
    app.diff.other().view().set_animated(false);
    app.diff.other().open(std::move(*compared));
    app.diff.file_b = 0;
  }
  Shell shell(app, [] {});
  app.update();  // which characters fonts must have
  apply_look(shell, options.scale, options.density);

  draw_frame(app, shell, **target, options.density);  // gives the view its size
  if (Result<void> arranged = arrange(app, options); !arranged) return arranged;
  for (int i = 0; i < kFrames; ++i) {
    app.settle();
    draw_frame(app, shell, **target, options.density);
  }
  return write_png(options.output, options.width, options.height, (*target)->read_rgb());
}

}  // namespace lacuna
