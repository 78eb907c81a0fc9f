#include "app/gui/application/app_state.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "app/gui/core/files.h"
#include "app/gui/core/job_failures.h"
#include "model/job/load_job.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kCompression = 10;  // about what gzip makes of such JSON

/// Bytes of JSON in a file, roughly; 0 when it is none.
std::uint64_t size_to_read(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return 0;
  return path.ends_with(".gz") || path.ends_with(".zst") ? size * kCompression : size;
}

}  // namespace

App::App(Settings initial, std::function<void()> wake)
    : jobs(std::move(wake)), settings(std::move(initial)), keymap(settings.keys) {
  ui.settings_warnings = keymap.warnings();
  workspace.view().put_gpu_first(settings.gpu_first);
  diff.other().view().put_gpu_first(settings.gpu_first);
  workspace.view().squeeze_frames(settings.squeeze_frames);
  diff.other().view().squeeze_frames(settings.squeeze_frames);
  workspace.view().keep_gpu(settings.gpu_stays);
  diff.other().view().keep_gpu(settings.gpu_stays);
}

bool App::may_close(std::function<void(App&)> then) {
  if (!live.is_unsaved()) return true;
  ui.closing = [this, then = std::move(then)] { then(*this); };
  return false;
}

void App::launch(const LivePlan& plan) {
  if (!may_close([plan](App& a) { a.launch(plan); })) return;
  if (Result<void> started = live.start(plan); !started) {
    requests.add(ask::Launch{LaunchFailure{form_of(plan), started.error().message()}});
    return;
  }
  remember_launch(settings.launches, form_of(plan));
  clear_for_recording();
}

void App::attach(const AttachPlan& plan) {
  if (!may_close([plan](App& a) { a.attach(plan); })) return;
  if (const Result<void> attached = live.attach(plan); !attached) return show_error(attached.error().message());
  clear_for_recording();
}

void App::import_notes(const std::vector<std::string>& paths) {
  if (!workspace.has_trace()) return;
  ParsedNotes all;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
      return show_error(path + ": is not a file");  // a pipe would hang
    const Result<ParsedNotes> read = read_notes(path);
    if (!read) return show_error(read.error().message());
    all.notes.insert(all.notes.end(), read->notes.begin(), read->notes.end());
    all.passed_over += read->passed_over;
  }
  ui.notice = workspace.take_over(all);
}

void App::close_views() {
  diff.close();
  std::apply([](auto&... view) { (view.reset(), ...); }, views());
}

void App::clear_for_recording() {
  loader.cancel();
  opening_ = {};
  side_car.flush(workspace);
  workspace.open(nullptr);  // until there is something to show, the window says what is looked for
  close_views();
  ui.warning_dismissed = false;
}

void App::relaunch() {
  if (live.may_relaunch()) launch(LivePlan(live.plan()));
}

void App::close_trace() {
  if (!may_close([](App& a) { a.close_trace(); })) return;
  side_car.flush(workspace);
  live.close();
  workspace.open(nullptr);
  import.steps_from.clear();
  import.requests.clear();
  close_views();
}

void App::quit() {
  if (may_close([](App& a) { a.quit(); })) requests.add(ask::Quit{});
}

void App::open(std::vector<std::string> paths) {
  if (paths.empty()) return;
  if (!may_close([paths](App& a) { a.open(paths); })) return;
  std::uint64_t bytes = 0;
  for (std::string& path : paths) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();  // a folder's name is its title
    bytes += size_to_read(path);
  }
  if (name_digests(paths)) return open_job(std::move(paths));
  job.close_files();
  load(std::move(paths), bytes, {});
}

void App::hold_fetch(bool holds) {
  if (remote_) remote_->hold(holds);
}

void App::open_there(RemotePlace place, std::vector<std::string> paths, std::unique_ptr<FarSide> line,
                     bool stays_there) {
  if (paths.empty()) return;
  job.close_files();
  auto opening =
      std::make_shared<RemoteOpening>(std::move(place), std::move(paths), std::move(line), stays_there, jobs.wake());
  load(opening->titles(), 0, [opening](ImportProgress& progress) -> Result<std::vector<std::string>> {
    Result<std::vector<std::string>> files = opening->fetch(progress);
    // They are brought together, not opened: see finish_load().
    if (files && name_digests(*files)) return fail(ErrorCode::kCancelled, "a job");
    return files;
  });
  remote_ = std::move(opening);
}

void App::open_job(std::vector<std::string> paths) {
  if (paths.empty()) return;
  for (const std::string& path : paths) settings.add_recent(absolute_path(path));
  job.open_files(std::move(paths), import);
  show_page(DrawerPage::kJob);
}

void App::show_ranks(ask::ShowRanks ranks) {
  if (ranks.paths.empty()) return;
  for (const std::string& path : ranks.paths) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown))
      return show_error(path +
                        ": this trace is not there. Lacuna looks for it where it was when its digest was made, and "
                        "beside the digest.");
  }
  if (!may_close([ranks](App& a) { a.show_ranks(ranks); })) return;
  const auto is_open = [this](const std::string& path) {
    return std::ranges::any_of(workspace.trace().sources(), [&](const TraceSource& source) {
      return absolute_path(source.path) == absolute_path(path);
    });
  };
  shown_ranks_ = std::move(ranks);
  if (workspace.has_trace() && !loader.is_loading() && !live.has_recording() &&
      std::ranges::all_of(shown_ranks_->paths, is_open))
    return;
  std::uint64_t bytes = 0;
  for (const std::string& path : shown_ranks_->paths) bytes += size_to_read(path);
  load(shown_ranks_->paths, bytes, {}, shown_ranks_->shifts);
}

void App::go_to_shown_ranks() {
  // A timeline that was never drawn has no width to show the place in.
  if (!workspace.has_trace()) return shown_ranks_.reset();
  if (workspace.view().width_px() <= 0) return;
  const std::optional<ask::ShowRanks> ranks = std::exchange(shown_ranks_, std::nullopt);
  const std::span<const TraceSource> sources = workspace.trace().sources();
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    if (absolute_path(sources[s].path) != absolute_path(ranks->paths.front())) continue;
    const Nanos start = saturating_add(ranks->start, sources[s].shift_ns);
    return workspace.go_to(JobView::place_of(workspace.trace(), s, start, ranks->duration));
  }
}

void App::open_old(const OldRecording& recording) {
  if (!may_close([recording](App& a) { a.open_old(recording); })) return;
  Loader::Prepare join;
  if (recording.parts.size() > 1) {
    join = [recording](ImportProgress& progress) -> Result<std::vector<std::string>> {
      progress.bytes_total = recording.bytes;
      const Result<void> joined = join_old_recording(recording, [&progress](std::uint64_t bytes) {
        progress.bytes_done = bytes;
        return !progress.cancel;
      });
      if (!joined) return tl::make_unexpected(joined.error());
      return std::vector{whole_path(recording)};
    };
  }
  load({whole_path(recording)}, recording.bytes, std::move(join));
}

void App::load(std::vector<std::string> paths, std::uint64_t bytes, Loader::Prepare prepare,
               std::vector<FileShift> shifts) {
  live.close();
  end_remote();
  if (shown_ranks_ && shown_ranks_->paths != paths) shown_ranks_.reset();
  if (!shifts.empty()) {
    import.clocks = FileClocks::kGiven;
    import.shifts = std::move(shifts);
  } else if (workspace.has_trace() && paths != workspace.document()->paths) {
    import.clocks = FileClocks::kFiles;
    import.shifts.clear();
    import.times_in_ns = false;
    import.steps_from.clear();
    import.requests.clear();
  }
  take_back_preview();
  opening_ = {.bytes = bytes};
  loader.start(std::move(paths), import, std::move(prepare));
}

bool App::offers_to_skip() const {
  return loader.is_loading() && opening_.bytes >= kLargeBytes && import.skip_categories.empty();
}

void App::load_without(const std::string& category) {
  ImportOptions options = import;
  options.skip_categories.push_back(category);
  take_back_preview();
  opening_ = {};  // offered once
  loader.restart(options);
}

void App::compare_with(std::vector<std::string> paths) {
  if (paths.empty()) return;
  show_page(DrawerPage::kCompare);
  diff.open(std::move(paths), import);
}

void App::reload() {
  if (live.has_recording() || remote_) return;
  if (job.has_files()) job.open_files(std::vector<std::string>(job.files()), import);
  if (!workspace.has_trace()) return;
  std::vector<std::string> paths = workspace.document()->paths;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) bytes += size_to_read(path);
  load(std::move(paths), bytes, {});
}

void App::use_clocks(FileClocks wanted) {
  if (live.has_recording() || !workspace.has_trace() || loader.is_loading() || wanted == clocks()) return;
  import.clocks = wanted;
  import.shifts.clear();
  load_again();
}

void App::use_steps(std::string steps_from) {
  if (live.has_recording() || remote_ || !workspace.has_trace() || loader.is_loading()) return;
  if (steps_from == workspace.trace().steps_from()) return;
  workspace.set_steps_from(steps_from);
  side_car.flush(workspace);
  import.steps_from = std::move(steps_from);
  load_again();
}

void App::load_again() {
  opening_ = {.is_refresh = true};
  loader.start(workspace.document()->paths, import, {});
}

void App::read_times_as_ns() {
  import.times_in_ns = true;
  reload();
}

FileClocks App::clocks() const {
  if (!workspace.has_trace() || workspace.trace().sources().empty()) return import.clocks;
  const Alignment alignment = workspace.trace().sources().front().alignment;
  return alignment == Alignment::kRaw     ? FileClocks::kRaw
         : alignment == Alignment::kGiven ? FileClocks::kGiven
                                          : FileClocks::kFiles;
}

bool App::update() {
  bool changed = workspace.update();
  ui.has_report = !is_about_memory();
  if (shown_ranks_ && !loader.is_loading()) {
    go_to_shown_ranks();
    changed = true;
  }
  if (std::optional<ask::UseSteps> wanted = requests.take<ask::UseSteps>()) {
    use_steps(std::move(wanted->steps_from));
    changed = true;
  }
  if (std::optional<std::string> failure = take_job_failure()) {
    show_error(std::move(*failure));
    changed = true;
  }
  if (std::string why = workspace.take_why_not_folded(); !why.empty()) ui.notice = std::move(why);
  if (live.update(workspace)) changed = true;
  if (running_jobs.update()) changed = true;
  // What went wrong stands there.
  if (live.take_failure()) show_page(DrawerPage::kConsole);
  if (const auto saved = live.take_saved()) {
    changed = true;
    if (*saved) {
      settings.add_recent(**saved);
      std::error_code error;
      const auto bytes = std::filesystem::file_size(**saved, error);
      ui.notice = "Saved " + **saved + (error ? std::string() : ", " + format_bytes(bytes));
      if (ui.closing && !live.is_unsaved()) std::exchange(ui.closing, nullptr)();
    } else {
      ui.closing = nullptr;
      show_error("The recording was not saved. " + saved->error().message());
    }
  }
  if (DocumentPtr preview = loader.take_preview()) {
    // A picture from there shows more than what is read of the files so far.
    if (!remote_ || !remote_->is_seen()) {
      changed = true;
      show_preview(std::move(preview));
    }
  }
  ui.why_no_answer = remote_ ? remote_->why_no_answer() : std::string();
  if (!ui.why_no_answer.empty() && workspace.forget_step()) ui.notice = ui.why_no_answer;
  if (remote_) {
    look_there();
    if (DocumentPtr preview = remote_->take_preview()) {
      changed = true;
      show_preview(std::move(preview));
    }
  }
  ask_for_timeline();
  std::apply([&](auto&... view) { ((changed |= view.update()), ...); }, views());
  show_on_timeline();
  // Both timelines are aligned, and the numbers there, whatever page is shown.
  if (diff.update()) changed = true;
  if (diff.has_other()) diff.ask(workspace.document());
  if (std::optional<Result<DocumentPtr>> result = loader.poll()) {
    changed = true;
    finish_load(std::move(*result));
  }
  query.keep_to(workspace.document());
  ask_for_characters();
  if (computes_ahead) ahead.update(*this);
  return changed;
}

void App::ask_for_timeline() {
  const DocumentPtr& document = workspace.document();
  if (!document) return;
  const bool is_on_page = ui.drawer_open && ui.page == DrawerPage::kPath;
  const bool is_in_flames = ui.drawer_open && ui.page == DrawerPage::kCalls && calls.metric == CallMetric::kPath;
  if (path.is_drawn || is_on_page || is_in_flames)
    path.ask(document, workspace.area().value_or(TimeSpan::everything()));
  if (draws_memory_marks()) memory.ask(document);
}

void App::ask_for_characters() {
  for (const DocumentPtr& document : {workspace.document(), diff.other().document()}) {
    if (document == nullptr || std::ranges::includes(ui.characters, document->characters)) continue;
    std::u32string both;
    std::ranges::set_union(ui.characters, document->characters, std::back_inserter(both));
    ui.characters = std::move(both);
    ui.look_changed = true;
  }
}

void App::show_on_timeline() {
  const DocumentPtr& document = workspace.document();
  workspace.view().show_path(path.marks(document));
  workspace.view().show_memory(draws_memory_marks() ? memory.marks(document) : nullptr);
}

bool App::draws_memory_marks() const {
  return memory.draws_marks.value_or(ui.drawer_open && ui.page == DrawerPage::kMemory);
}

bool App::is_about_memory() const {
  const auto is_snapshot = [](const TraceSource& source) {
    return source.format.find("snapshot") != std::string::npos ||
           source.format.find("memory timeline") != std::string::npos;
  };
  return workspace.has_trace() && !workspace.trace().sources().empty() &&
         std::ranges::all_of(workspace.trace().sources(), is_snapshot);
}

void App::show_first_page() {
  // Somebody who comes from the ranks of a job goes back to them.
  if (shown_ranks_ || !workspace.has_trace()) return;
  requests.add(
      ask::ShowPage{is_about_memory() ? DrawerPage::kMemory : DrawerPage::kReport});  // a closed drawer stays closed
}

void App::show_preview(DocumentPtr preview) {
  if (opening_.is_refresh) return;  // all of it is shown already
  side_car.flush(workspace);
  if (opening_.is_previewed) return workspace.refresh(std::move(preview));
  opening_.is_previewed = true;
  opening_.before = workspace.document();
  workspace.open(std::move(preview));
  if (opening_.before == nullptr || opening_.before->paths != workspace.document()->paths) show_first_page();
}

void App::take_back_preview() {
  if (std::exchange(opening_.is_previewed, false)) workspace.open(std::exchange(opening_.before, nullptr));
}

void App::look_there() {
  const TimelineView& view = workspace.view();
  if (!opening_.is_previewed || !workspace.has_trace() || view.width_px() <= 0 || view.height_px() <= 0) return;
  const TimelineMetrics& metrics = view.input().view.metrics;
  const Camera& camera = view.destination();
  const double narrowest = std::max(0.5, double{metrics.min_slice_px} * double{metrics.scale});
  const auto fold_ns = static_cast<Nanos>(std::ceil(std::clamp(camera.ns_per_px() * narrowest, 1.0, 9e18)));
  std::vector<TrackId> tracks;
  const float top = view.scroll_y() - view.height_px() / 2;
  const float bottom = view.scroll_y() + view.height_px() * 1.5f;
  for (const TrackPlace& place : view.vertical().tracks)
    if (place.y1 >= top && place.y0 <= bottom && !place.is_extra()) tracks.push_back(place.track);
  for (const TrackPlace& place : view.pinned().tracks) tracks.push_back(place.track);
  const TimeFolds* folds = view.input().view.time_folds;
  const TimeSpan visible = camera.visible(view.width_px());
  const bool lists_gaps = ui.drawer_open && ui.page == DrawerPage::kGaps && ui.gaps_view == GapsView::kList;
  RemoteQuestions questions = workspace.questions(lists_gaps);
  if (ui.drawer_open && ui.asked_page) questions.pages.push_back(*ui.asked_page);
  if (ui.has_report && workspace.area()) questions.pages.push_back({AskedHeadline{}, *workspace.area()});
  if (ui.has_report) questions.pages.push_back({AskedReport{}});
  remote_->look(folds != nullptr ? folds->unfold(visible) : visible, fold_ns, tracks, questions);
}

void App::end_remote() {
  if (remote_) remote_->stop();  // the loader may have it, too
  remote_.reset();
}

void App::finish_load(Result<DocumentPtr> result) {
  std::vector<std::string> fetched;
  if (remote_) fetched = remote_->fetched().value_or(std::vector<std::string>());
  end_remote();
  side_car.flush(workspace);
  const Opening opened = std::exchange(opening_, {});
  if (!result) {
    import.clocks = clocks();
    if (opened.is_previewed) workspace.open(opened.before);
    shown_ranks_.reset();
    if (!fetched.empty() && name_digests(fetched)) return open(std::move(fetched));
    if (result.error().code != ErrorCode::kCancelled) show_error(result.error().message());
    return;
  }
  // A trace in the place of another one is not what that was compared with.
  const DocumentPtr replaced = opened.is_previewed     ? opened.before
                               : workspace.has_trace() ? workspace.document()
                                                       : nullptr;
  if (replaced && replaced->paths != (*result)->paths) diff.close();
  if (opened.is_previewed || opened.is_refresh) {
    workspace.refresh(std::move(*result));
  } else {
    const bool is_same = workspace.has_trace() && workspace.document()->paths == (*result)->paths;
    workspace.open(std::move(*result));
    if (!is_same) show_first_page();
  }
  ui.warning_dismissed = false;
  for (const std::string& path : workspace.document()->paths) settings.add_recent(absolute_path(path));
}

void App::settle() {
  workspace.update_gaps();
  jobs.settle([this] {
    const bool changed = update();
    workspace.update_gaps();  // by causes that came, maybe
    return changed;
  });
  workspace.update_table();
}

bool App::is_moving() const {
  if (live.is_running() && !live.is_paused()) return true;
  return workspace.view().is_animating() || diff.other().view().is_animating();
}

bool App::is_looking_only() const {
  return remote_ && remote_->is_held() && remote_->is_seen();
}

bool App::is_busy() const {
  return shown_ranks_ || (remote_ && remote_->is_waiting()) || (loader.is_loading() && !is_looking_only()) ||
         diff.is_loading() || is_computing() || is_moving();
}

void App::show_page(DrawerPage page) {
  lacuna::show_page(ui, settings, requests, page);
}

void App::show_table(bool torch) {
  ui.torch_table = torch;
  show_page(DrawerPage::kStatistics);
}

void App::show_gaps(GapsView view) {
  ui.gaps_view = view;
  show_page(DrawerPage::kGaps);
}

void App::set_theme(bool light) {
  settings.light_theme = light;
  ui.look_changed = true;
}

void App::set_ui_scale(float scale) {
  const float rounded = std::round(std::clamp(scale, 0.5f, 3.0f) * 20) / 20;
  if (rounded == settings.ui_scale) return;
  settings.ui_scale = rounded;
  ui.look_changed = true;
}

void App::show_error(std::string text) {
  ui.error = std::move(text);
}

std::string App::title() const {
  if (live.has_recording()) return live.title();
  if (!workspace.has_trace()) return job.has_files() ? "Job: " + files_title(job.files()) : std::string();
  return files_title(workspace.document()->paths);
}

}  // namespace lacuna
