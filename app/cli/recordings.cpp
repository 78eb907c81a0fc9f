#include "app/cli/recordings.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "capture/session/live_capture.h"
#include "capture/session/old_recordings.h"
#include "capture/session/save_requests.h"
#include "model/base/standard_error.h"
#include "render/format.h"

namespace lacuna {

namespace {

constexpr const char* kNoSuch = "no such recording (lacuna recordings lists them)";

bool has_name(const OldRecording& recording, const std::string& name) {
  return recording.name() == name || recording.folder == name;
}

const OldRecording* find_named(const std::vector<OldRecording>& among, const std::string& name) {
  const auto found = std::ranges::find_if(among, [&](const OldRecording& r) { return has_name(r, name); });
  return found == among.end() ? nullptr : &*found;
}

Result<void> save_recording(const RecordingsOptions& options, const std::vector<OldRecording>& running,
                            const std::vector<OldRecording>& old) {
  std::string name = options.save;
  if (name.empty()) {
    const std::vector<OldRecording>& among = running.empty() ? old : running;
    if (among.empty())
      return fail(ErrorCode::kNotFound,
                  "no recording is kept (lacuna record --keep-seconds X); one without a limit is in its file already");
    if (among.size() > 1) {
      std::string list = "there are several; say which:";
      for (const OldRecording& one : among) list += fmt::format("\n  lacuna recordings --save {}", one.name());
      return fail(ErrorCode::kInvalidArgument, list);
    }
    name = among.front().name();
  }
  const Existing existing = options.force ? Existing::kReplace : Existing::kReplaceOurs;
  if (const OldRecording* one = find_named(running, name)) {
    const std::string path = options.output.empty() ? fmt::format("{}.trace.json.gz", one->name()) : options.output;
    if (const Result<void> saved = ask_to_save(one->folder, path, existing); !saved) return saved;
    to_standard_error(fmt::format("lacuna: what is kept so far is in {}\n", path));
    return {};
  }
  if (const OldRecording* one = find_named(old, name))
    return save_old_recording(*one, options.output.empty() ? one->name() + ".trace.json.gz" : options.output, existing);
  return fail(ErrorCode::kNotFound, kNoSuch, name);
}

Result<void> delete_recordings(const std::string& name, const std::vector<OldRecording>& old) {
  if (name != "all" && find_named(old, name) == nullptr) return fail(ErrorCode::kNotFound, kNoSuch, name);
  for (const OldRecording& one : old)
    if (name == "all" || has_name(one, name))
      if (Result<void> deleted = delete_old_recording(one); !deleted) return deleted;
  return {};
}

}  // namespace

void RecordingsOptions::add_to(CLI::App& app) {
  CLI::Option* what = app.add_option_function<std::vector<std::string>>(
                             "--save",
                             [this](const std::vector<std::string>& given) {
                               saves = true;
                               if (!given.empty()) save = given.front();
                             },
                             "Write this one as a trace; of one under way what it has so far (default: the only one)")
                          ->type_name("NAME")
                          ->expected(0, 1)
                          ->allow_extra_args(false);
  app.add_option("-o,--output", output, "… to this file (.gz or .zst by name)")->type_name("OUT")->needs(what);
  app.add_flag("--force", force, "Replace OUT whatever it is; without: only a trace that Lacuna wrote")->needs(what);
  app.add_option("--delete", remove, "Delete this one for good; \"all\": all that are left behind")->type_name("NAME");
}

Result<void> run_recordings(const RecordingsOptions& options) {
  const std::vector<OldRecording> running = find_recordings_under_way(recordings_folder());
  const std::vector<OldRecording> old = find_old_recordings(recordings_folder());
  if (options.saves) return save_recording(options, running, old);
  if (!options.remove.empty()) return delete_recordings(options.remove, old);
  Output out(stdout);
  if (running.empty() && old.empty())
    out.write("No recording was left behind, and none that keeps a part of itself is running.\n");
  const auto list = [&](const std::vector<OldRecording>& recordings, const char* state) {
    for (const OldRecording& one : recordings)
      out.write(fmt::format("{}  {:%Y-%m-%d %H:%M}  {:>9}  {:<9}  {}\n", one.name(), fmt::localtime(one.began),
                            format_bytes(one.bytes), state, printable(one.command)));
  };
  list(running, "under way");
  list(old, "unsaved");
  return out.finish();
}

constexpr const char* kRecordingsHelp =
    "Recordings under way in a window, or by record with --keep-seconds or --keep-gb: --save takes what\n"
    "they have so far while they go on. And those that ended (a crash, a kill) before they were saved or\n"
    "thrown away: they stay until they are deleted; the window offers them on its start page, too.";

Command recordings_command(CommandContext&) {
  return make_command("recordings", "Recordings under way, or left behind unsaved: list, save, delete", kRecordingsHelp,
                      std::make_shared<RecordingsOptions>(), run_recordings);
}

}  // namespace lacuna
