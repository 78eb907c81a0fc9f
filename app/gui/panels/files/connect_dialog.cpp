#include "app/gui/panels/files/connect_dialog.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/formats/file_names.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kConnectTitle = "Connect to another machine";
constexpr float kConnectNamesPx = 76;
constexpr double kBusyRedrawS = 0.1;
constexpr std::size_t kMostNameShown = 80;
constexpr std::size_t kMostProblemShown = 600;

void line_name(const UiContext& ui, const char* what) {
  ImGui::AlignTextToFramePadding();
  muted_text(ui, what);
  ImGui::SameLine(ui.px(kConnectNamesPx));
}

/// The begin of a text that somebody else wrote, or a slip of the clipboard, so that the buttons stay in view.
std::string cut_text(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;  // not inside a code point
  return text.substr(0, most) + "\xE2\x80\xA6";
}

std::string without_blanks_around(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string above(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : folder.substr(0, slash);
}

}  // namespace

void ConnectDialog::open(const std::vector<RemoteAddress>& places) {
  is_open_ = just_opened_ = true;
  wants_begin_ = false;
  places_ = places;
}

void ConnectDialog::close() {
  is_open_ = false;
  view_.cancel();
}

bool ConnectDialog::handle_key(const KeyPress& press) {
  if (press.shortcut.key != kKeyEnter || press.shortcut.modifiers != 0 || press.is_repeat) return false;
  return wants_begin_ = true;
}

RemoteAddress ConnectDialog::where() const {
  return {without_blanks_around(host_), without_blanks_around(transport_)};
}

void ConnectDialog::look() {
  if (where().is_empty()) return;
  if (shows_jobs_) {
    view_.look_at_jobs(where());
  } else {
    view_.look(where(), folder_);
  }
}

/// What Enter does: looks where another host or folder was typed, else opens what is chosen.
void ConnectDialog::begin() {
  if (view_.is_busy() || where().is_empty()) return;
  if (!command_.empty()) return view_.record(where(), command_);
  if (shows_jobs_) {
    if (view_.jobs() == nullptr || view_.jobs_at() != where()) return look();
    return attach();
  }
  const bool is_listed = view_.listing() != nullptr && view_.listed_at() == where() && folder_ == listed_;
  if (!is_listed) return look();
  take(chosen_);
}

/// The one that is chosen, where it is one alone.
const FarJob* ConnectDialog::chosen_job() const {
  const bool is_one = view_.jobs() != nullptr && view_.jobs_at() == where() && chosen_jobs_.size() == 1 &&
                      *chosen_jobs_.begin() < view_.jobs()->size();
  return is_one ? &(*view_.jobs())[*chosen_jobs_.begin()] : nullptr;
}

void ConnectDialog::attach() {
  if (const FarJob* job = chosen_job(); job != nullptr && job->may_attach && !view_.is_busy())
    view_.attach(where(), *job);
}

void ConnectDialog::take(std::size_t row) {
  const FarSide::Listing& listing = *view_.listing();
  if (row >= listing.entries.size()) return;
  const RemoteEntry& entry = listing.entries[row];
  const std::string path = below(listing.folder, entry.name);
  // Of the machine that is listed, whatever was typed since.
  if (entry.is_folder) {
    view_.look(view_.listed_at(), path);
  } else if (std::optional<RemotePlace> place = view_.place_of(view_.listed_at())) {
    close();
    open_there_(std::move(*place), {path}, stays_there_);
  }
}

void ConnectDialog::host_line(UiContext& ui) {
  line_name(ui, "Host");
  ImGui::SetNextItemWidth(-ui.px(110) - ImGui::GetFrameHeightWithSpacing());
  if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
  if (text_input("##host", "host name for ssh: gpu-box, or user@10.0.0.7", host_)) {
    // The way that led there before.
    const auto known = std::ranges::find(places_, host_, &RemoteAddress::host);
    if (known != places_.end() && !host_.empty()) transport_ = known->transport;
  }
  note_place(ui, "connect_host");
  ImGui::SameLine();
  if (places_.empty()) ImGui::BeginDisabled();
  if (ImGui::ArrowButton("places", ImGuiDir_Down)) ImGui::OpenPopup("known places");
  if (places_.empty()) ImGui::EndDisabled();
  note_place(ui, "connect_places");
  tooltip("Recent machines");
  if (ImGui::BeginPopup("known places")) {
    for (const RemoteAddress& place : places_) {
      const std::string name =
          place.host.empty() || place.transport.empty() ? place.name() : place.host + "  (" + place.transport + ")";
      if (ImGui::Selectable(name.c_str())) {
        host_ = place.host;
        transport_ = place.transport;
      }
    }
    ImGui::EndPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Look", {ui.px(100), 0})) look();
  note_place(ui, "connect_look");
  tooltip("Your own ssh, with its keys, jump hosts and known_hosts. Lacuna must be there: lacuna install-on HOST");
}

void ConnectDialog::transport_line(UiContext& ui) {
  line_name(ui, "Through");
  ImGui::SetNextItemWidth(-1);
  text_input("##transport", "ssh; or: docker exec -i NAME, kubectl exec -i POD --", transport_);
  note_place(ui, "connect_transport");
  tooltip(
      "A command that runs what follows it there, with its standard input and output. It takes the place of ssh, "
      "and is remembered with the host.");
}

void ConnectDialog::folder_line(UiContext& ui) {
  line_name(ui, "Folder");
  const bool may_go_up = view_.listing() != nullptr && !view_.is_busy();
  if (ImGui::ArrowButton("up", ImGuiDir_Up) && may_go_up) view_.look(where(), above(view_.listing()->folder));
  note_place(ui, "connect_up");
  tooltip("Folder above");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  text_input("##folder", "~ (your home there)", folder_);
  note_place(ui, "connect_folder");
}

void ConnectDialog::list(UiContext& ui, float height) {
  begin_bordered_child("files", {0, height});
  const FarSide::Listing* listing = view_.listing();
  if (listing == nullptr) {
    ImGui::PushTextWrapPos(0);
    muted_text(ui, view_.is_busy() ? "Asking\xE2\x80\xA6"
                                   : "Files of the other machine appear here. What you open is seen from there at "
                                     "once, while it is fetched, compressed on the way, and kept: an unchanged file is "
                                     "not fetched a second time.");
    ImGui::PopTextWrapPos();
  } else if (ImGui::BeginTable("list", 3,
                               ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY)) {
    ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("Size");
    ImGui::TableSetupColumn("Modified");
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    std::optional<std::size_t> taken;
    for (std::size_t i = 0; i < listing->entries.size(); ++i) {
      const RemoteEntry& entry = listing->entries[i];
      if (only_traces_ && !entry.may_be_trace) continue;
      ImGui::PushID(static_cast<int>(i));
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImGuiSelectableFlags flags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
      if (ImGui::Selectable("##row", i == chosen_, flags)) {
        chosen_ = i;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) taken = i;
      }
      if (i == chosen_) note_place(ui, "connect_chosen");
      ImGui::SameLine(0, 0);
      fitted_text(ui, entry.is_folder ? entry.name + "/" : entry.name);
      ImGui::TableNextColumn();
      muted_text(ui, entry.is_folder ? std::string() : format_bytes(entry.bytes));
      ImGui::TableNextColumn();
      const std::time_t modified = std::clamp<std::int64_t>(entry.modified_s, 0, std::int64_t{1} << 36);
      muted_text(ui, fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(modified)));
      ImGui::PopID();
    }
    ImGui::EndTable();
    if (taken && !view_.is_busy()) take(*taken);
  }
  ImGui::EndChild();
}

void ConnectDialog::job_list(UiContext& ui, float height) {
  begin_bordered_child("jobs", {0, height});
  const bool is_known = view_.jobs() != nullptr && view_.jobs_at() == where();
  if (is_known && jobs_of_ != where()) chosen_jobs_.clear();
  if (is_known) jobs_of_ = where();
  if (!is_known || view_.jobs()->empty()) {
    ImGui::PushTextWrapPos(0);
    muted_text(ui, view_.is_busy() ? "Asking\xE2\x80\xA6 (up to 6 s: programs ask for requests when they like)"
                   : is_known
                       ? "Nothing runs there that can be watched or asked: dormant programs (lacuna record --dormant, "
                         "lacuna env), recordings of lacuna record --live, PyTorch's with KINETO_USE_DAEMON=1."
                       : "What runs there appears here: recordings and dormant programs, which can be watched "
                         "live, and those of which a trace can be taken.");
    ImGui::PopTextWrapPos();
  } else if (ImGui::BeginTable("jobs", 5,
                               ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY)) {
    for (const char* title : {"Process", "Kind", "Rank", "State"}) ImGui::TableSetupColumn(title);
    ImGui::TableSetupColumn("Command", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    bool attaches = false;
    for (std::size_t i = 0; i < view_.jobs()->size(); ++i) {
      const FarJob& job = (*view_.jobs())[i];
      ImGui::PushID(static_cast<int>(i));
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const std::string pid = job.pid > 0 ? std::to_string(job.pid) : std::string("-");
      if (ImGui::Selectable(pid.c_str(), chosen_jobs_.contains(i),
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
        // With Ctrl several, of which a trace is taken at one moment.
        if (!ImGui::GetIO().KeyCtrl) chosen_jobs_.clear();
        if (ImGui::GetIO().KeyCtrl && chosen_jobs_.contains(i)) {
          chosen_jobs_.erase(i);
        } else {
          chosen_jobs_.insert(i);
        }
        attaches = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
      }
      if (i == 0) note_place(ui, "connect_job");
      for (const std::string* cell : {&job.kind, &job.rank, &job.state}) {
        ImGui::TableNextColumn();
        muted_text(ui, *cell);
      }
      ImGui::TableNextColumn();
      fitted_text(ui, job.command);
      ImGui::PopID();
    }
    ImGui::EndTable();
    if (attaches) attach();
  }
  ImGui::EndChild();
}

/// Of what is chosen among the jobs.
void ConnectDialog::request_line(UiContext& ui) {
  std::vector<int> pids;
  const bool is_known = view_.jobs() != nullptr && view_.jobs_at() == where();
  for (const std::size_t row : chosen_jobs_)
    if (is_known && row < view_.jobs()->size() && (*view_.jobs())[row].may_request)
      pids.push_back((*view_.jobs())[row].pid);
  const FarJob* one = chosen_job();
  const bool may_attach = one != nullptr && one->may_attach && !view_.is_busy();
  if (!may_attach) ImGui::BeginDisabled();
  if (ImGui::Button("Watch live", {ui.px(110), 0})) attach();
  if (!may_attach) ImGui::EndDisabled();
  note_place(ui, "connect_attach");
  tooltip("A dormant program is woken, and sleeps again when it is closed here. A recording goes on.");
  ImGui::SameLine();
  const bool may_take = !pids.empty() && !view_.is_busy();
  if (!may_take) ImGui::BeginDisabled();
  if (ImGui::Button("Take a trace", {ui.px(110), 0})) view_.request(where(), pids, seconds_);
  if (!may_take) ImGui::EndDisabled();
  note_place(ui, "connect_request");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ui.px(60));
  ImGui::InputDouble("##seconds", &seconds_, 0, 0, "%g");
  seconds_ = std::clamp(seconds_, 0.01, 3600.0);
  note_place(ui, "connect_seconds");
  ImGui::SameLine(0, ui.px(6));
  muted_text(ui, "s; Ctrl chooses several, which begin at one moment");
}

void ConnectDialog::record_line(UiContext& ui) {
  line_name(ui, "Record");
  ImGui::SetNextItemWidth(-ui.px(110));
  text_input("##command", "a command there: python train.py", command_);
  note_place(ui, "connect_command");
  ImGui::SameLine();
  const bool may = !command_.empty() && !where().is_empty() && !view_.is_busy();
  if (!may) ImGui::BeginDisabled();
  if (ImGui::Button("Record", {ui.px(100), 0})) view_.record(where(), command_);
  if (!may) ImGui::EndDisabled();
  note_place(ui, "connect_record");
  tooltip("It is recorded there, into your home, and shown here while it runs. It continues if the connection breaks.");
}

void ConnectDialog::state_line(UiContext& ui) {
  ImGui::PushTextWrapPos(0);
  if (view_.is_busy()) {
    muted_text(ui, view_.is_requesting() ? "Waiting for the trace\xE2\x80\xA6 (some 10 s where Kineto is asked)"
                                         : "Asking " + cut_text(where().name(), kMostNameShown) + "\xE2\x80\xA6");
  } else if (!view_.problem().empty()) {
    coloured_text(ui.theme.error, cut_text(view_.problem(), kMostProblemShown));
  } else if (view_.listing() != nullptr && view_.listing()->left_out > 0) {
    coloured_text(ui.theme.warning, fmt::format("{} more are not listed", format_count(view_.listing()->left_out)));
  }
  ImGui::PopTextWrapPos();
}

void ConnectDialog::draw(UiContext& ui) {
  view_.update();
  if (std::vector<std::string> files = view_.take_files(); !files.empty()) {
    const RemoteAddress reached = view_.reached();
    if (std::optional<RemotePlace> place = view_.place_of(reached)) {
      is_open_ = false;
      ui.settings.add_place(reached);
      open_there_(std::move(*place), std::move(files), false);
    }
  }
  if (auto relay = view_.take_relay()) {
    is_open_ = false;
    ui.settings.add_place(view_.reached());
    command_.clear();
    attach_(relay->socket());
    relay_ = std::move(relay);  // the one before may go now
  }
  if (view_.listing() != nullptr && (view_.listing()->folder != listed_ || view_.listed_at() != listed_of_)) {
    listed_of_ = view_.listed_at();
    ui.settings.add_place(view_.listed_at());
    folder_ = listed_ = view_.listing()->folder;
    const auto& entries = view_.listing()->entries;
    const auto first =
        std::ranges::find_if(entries, [](const RemoteEntry& e) { return e.may_be_trace && !e.is_folder; });
    chosen_ = first == entries.end() ? 0 : static_cast<std::size_t>(first - entries.begin());
  }
  if (!is_open_) return;
  if (view_.is_busy()) ui.state.redraw_in_s = kBusyRedrawS;
  bool stays = true;
  if (!begin_dialog(ui, kConnectTitle, 760, 520, &stays)) return;
  host_line(ui);
  transport_line(ui);
  line_name(ui, "Show");
  if (segment(ui, "Files", !shows_jobs_)) shows_jobs_ = false;
  note_place(ui, "connect_files");
  ImGui::SameLine(0, ui.px(2));
  if (segment(ui, "What runs there", shows_jobs_)) {
    shows_jobs_ = true;
    if (!view_.is_busy() && (view_.jobs() == nullptr || view_.jobs_at() != where())) look();
  }
  note_place(ui, "connect_jobs");
  const float rows = ImGui::GetFrameHeightWithSpacing() * 3 + ImGui::GetTextLineHeightWithSpacing() * 2 + ui.px(8);
  if (shows_jobs_) {
    job_list(ui, std::max(ui.px(60), ImGui::GetContentRegionAvail().y - rows));
    request_line(ui);
  } else {
    folder_line(ui);
    list(ui, std::max(ui.px(60), ImGui::GetContentRegionAvail().y - rows));
    ImGui::Checkbox("Only traces", &only_traces_);
    tooltip(fmt::format("Hides files whose names do not end with {}.", fmt::join(file_endings(), ", ")));
    ImGui::SameLine(0, ui.px(18));
    ImGui::Checkbox("Only look, do not fetch", &stays_there_);
    note_place(ui, "connect_stays");
    tooltip(
        "The trace stays there: pictures, statistics, gaps and arguments come when they are looked at. It can be "
        "fetched later.");
  }
  record_line(ui);
  const bool may_open =
      !shows_jobs_ && !view_.is_busy() && view_.listing() != nullptr && chosen_ < view_.listing()->entries.size();
  if (!may_open) ImGui::BeginDisabled();
  if (ImGui::Button("Open", {ui.px(100), 0})) take(chosen_);
  if (!may_open) ImGui::EndDisabled();
  note_place(ui, "connect_open");
  ImGui::SameLine();
  if (ImGui::Button(view_.is_busy() ? "Cancel" : "Close", {ui.px(100), 0})) {
    if (view_.is_busy()) {
      view_.cancel();
    } else {
      stays = false;
    }
  }
  state_line(ui);
  if (std::exchange(wants_begin_, false)) begin();
  if (!stays) close();
  if (!is_open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace lacuna
