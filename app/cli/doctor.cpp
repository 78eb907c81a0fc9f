#include "app/cli/doctor.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/on_host.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "capture/remote/remote_files.h"
#include "capture/session/doctor.h"
#include "model/base/growing_memory.h"
#include "model/base/spill_space.h"
#include "model/cache/trace_cache.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::string describe_cache() {
  const TraceCache cache;
  if (cache.folder().empty())
    return "note    kept traces    none\n                       -> set HOME or XDG_CACHE_HOME\n";
  const TraceCache::Usage kept = cache.usage();
  return fmt::format("good    kept traces    {} in {}, which take {} of at most {}\n", kept.files,
                     printable(cache.folder()), format_bytes(kept.bytes), format_bytes(cache.limits().most_bytes));
}

/// What came from other machines; empty where nothing did.
std::string describe_fetched() {
  const RemoteFiles::Usage fetched = RemoteFiles().usage();
  if (fetched.files == 0) return {};
  return fmt::format("good    fetched traces {} in {}, which take {} of at most {}\n", fetched.files,
                     printable(RemoteFiles().folder()), format_bytes(fetched.bytes),
                     format_bytes(RemoteFiles::Limits{}.most_bytes));
}

#if LACUNA_GUI
/// Where the slices of a long recording lie.
std::string describe_spill() {
  std::string folder = std::filesystem::path(TraceCache().folder()).parent_path().string();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::exists(folder, error))  // doctor changes nothing
    return fmt::format("note    live slices    on disk beyond {} in memory: {}, which is made then\n",
                       format_bytes(GrowingMemory::kUsuallyInMemory), printable(folder));
  const Result<Descriptor> file = open_spill_file(folder);
  if (!file)
    return fmt::format("note    live slices    all in memory, 40 bytes each; {}\n", printable(file.error().message()));
  return fmt::format("good    live slices    on disk beyond {} in memory: {}, where {} are free\n",
                     format_bytes(GrowingMemory::kUsuallyInMemory), printable(folder), format_bytes(free_to_spill()));
}
#endif

}  // namespace

Result<void> run_doctor() {
  Output out(stdout);
  bool all_good = true;
  for (const Checkup& c : examine()) {
    const char* mark = c.state == Checkup::State::kGood   ? "good   "
                       : c.state == Checkup::State::kNote ? "note   "
                                                          : "MISSING";
    all_good = all_good && c.state != Checkup::State::kMissing;
    out.write(fmt::format("{} {:<14} {}\n", mark, c.subject, printable(c.found)));
    if (!c.advice.empty()) out.write(fmt::format("{:23}-> {}\n", "", printable(c.advice)));
  }
#if LACUNA_GUI
  out.write(describe_spill());
#endif
  out.write(describe_cache());
  out.write(describe_fetched());
  out.write(all_good ? "Live recording works here, within the notes above.\n"
                     : "Something that live recording needs is missing.\n");
  return out.finish();
}

constexpr const char* kDoctorHelp = "Looks and asks, changes nothing. \"note\": works without, or works in part.";

Command doctor_command(CommandContext& context) {
  Command doctor{"doctor", "What of live recording works on this machine, and what to do", kDoctorHelp,
                 [](CLI::App&) {}, run_doctor};
  doctor.run_there = [&context](const RemotePlace& place) -> Result<bool> {
    const Result<int> exit = run_on_host(place, context.remote.words, nullptr, true);
    if (!exit) return tl::make_unexpected(exit.error());
    context.exit = *exit;
    return true;
  };
  return doctor;
}

}  // namespace lacuna
