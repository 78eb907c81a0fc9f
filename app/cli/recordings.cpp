#include "app/cli/recordings.h"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "capture/session/live_capture.h"
#include "capture/session/old_recordings.h"
#include "render/format.h"

namespace lacuna {

void RecordingsOptions::add_to(CLI::App& app) {
  CLI::Option* what = app.add_option("--save", save, "Write this one as a trace")->type_name("NAME");
  app.add_option("-o,--output", output, "… to this file (.gz or .zst by name)")->type_name("OUT")->needs(what);
  app.add_flag("--force", force, "Replace OUT whatever it is; without: only a trace that Lacuna wrote")->needs(what);
  app.add_option("--delete", remove, "Delete this one for good; \"all\": all of them")->type_name("NAME");
}

Result<void> run_recordings(const RecordingsOptions& options) {
  const std::vector<OldRecording> found = find_old_recordings(recordings_folder());
  const auto find = [&](const std::string& name) -> const OldRecording* {
    for (const OldRecording& old : found)
      if (old.name() == name || old.folder == name) return &old;
    return nullptr;
  };
  if (!options.save.empty()) {
    const OldRecording* old = find(options.save);
    if (old == nullptr) return fail(ErrorCode::kNotFound, "no such recording (lacuna recordings lists them)", options.save);
    return save_old_recording(*old, options.output.empty() ? old->name() + ".trace.json.gz" : options.output,
                              options.force ? Existing::kReplace : Existing::kReplaceOurs);
  }
  if (!options.remove.empty()) {
    if (options.remove != "all" && find(options.remove) == nullptr)
      return fail(ErrorCode::kNotFound, "no such recording (lacuna recordings lists them)", options.remove);
    for (const OldRecording& old : found) {
      if (options.remove != "all" && &old != find(options.remove)) continue;
      if (Result<void> deleted = delete_old_recording(old); !deleted) return deleted;
    }
    return {};
  }
  Output out(stdout);
  if (found.empty()) out.write("No recording was left behind.\n");
  for (const OldRecording& old : found)
    out.write(fmt::format("{}  {:%Y-%m-%d %H:%M}  {:>9}  {}\n", old.name(), fmt::localtime(old.began), format_bytes(old.bytes),
                          printable(old.command)));
  return out.finish();
}

std::string_view recordings_help() {
  return "Recordings made in a window that ended (a crash, a kill) before they were saved or thrown away. They\n"
         "stay until they are deleted; the window offers them on its start page, too.";
}

}  // namespace lacuna
