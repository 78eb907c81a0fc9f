#include "capture/session/doctor.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include "capture/kineto/kineto_checkups.h"
#include "capture/metrics/metrics_checkups.h"
#include "capture/sampling/checkups.h"
#include "capture/session/installation.h"
#include "capture/session/listener.h"
#include "capture/share/share_places.h"
#include "capture/wire/clock.h"
#include "model/base/os/user_folders.h"

namespace lacuna {
namespace {

using State = Checkup::State;
namespace fs = std::filesystem;

std::string path_of(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr ? map->l_name : "";
}

bool is_in_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const fs::path file = fs::path(rest.substr(0, end)) / program;
    if (access(file.c_str(), X_OK) == 0) return true;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return false;
}

/// Standard output of a fixed command of ours, trimmed; empty when it fails.
std::string output_of(const char* command) {
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 512> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), got);
  if (pclose(pipe) != 0) return {};
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Checkup collector() {
  const Installation found = find_installation();
  if (found.collector.empty())
    return {State::kMissing, "Collector", "liblacuna_collector.so is not beside lacuna",
            "reinstall Lacuna, or set LACUNA_COLLECTOR_LIBRARY"};
  void* handle = dlopen(found.collector.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {State::kMissing, "Collector", dlerror(), "rebuild Lacuna on this machine"};
  const bool has_all =
      dlsym(handle, "InitializeInjectionNvtx2") != nullptr && dlsym(handle, "InitializeInjection") != nullptr;
  if (!has_all) return {State::kMissing, "Collector", found.collector + " lacks its entry points", "reinstall Lacuna"};
  return {State::kGood, "Collector", found.collector, ""};
}

Checkup capture_socket() {
  const Result<Listener> listener = Listener::open();
  if (!listener)
    return {State::kMissing, "Socket", listener.error().message(),
            "set XDG_RUNTIME_DIR or TMPDIR to a folder you may write to"};
  return {State::kGood, "Socket", "private folder " + fs::path(listener->path()).parent_path().parent_path().string(),
          ""};
}

/// Where lacuna record --live and lacuna attach meet.
Checkup watching() {
  const Result<std::string> folder = share_folder();
  if (!folder)
    return {State::kMissing, "Watching", folder.error().message(),
            "lacuna record --live needs a folder that only you may enter: set XDG_RUNTIME_DIR, or mend that folder "
            "(chmod 700)"};
  const std::string runtime = user_runtime_folder();
  if (!runtime.empty() && folder->starts_with(runtime + "/"))
    return {State::kGood, "Watching", *folder + ", private: sockets of lacuna record --live", ""};
  return {State::kNote, "Watching",
          fmt::format("{}, private, since XDG_RUNTIME_DIR is {}", *folder,
                      runtime.empty() ? "not set" : runtime + ", where nothing can be written"),
          "nothing; but lacuna attach looks there only where XDG_RUNTIME_DIR and TMPDIR are the same as for lacuna "
          "record --live"};
}

Checkup clock() {
  if (wire::tsc_is_reliable())
    return {State::kGood, "Clock", "invariant time-stamp counter (about 10 ns a reading)", ""};
  return {State::kNote, "Clock", "no reliable time-stamp counter: CLOCK_MONOTONIC is used",
          "nothing; NVTX ranges cost about 30 ns more"};
}

void gpu(std::vector<Checkup>& list) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int version = 0;
  if (driver == nullptr) {
    list.push_back({State::kNote, "NVIDIA driver", "not found (libcuda.so.1)",
                    "install it to record a GPU; NVTX and PyTorch operators work without"});
  } else {
    auto* get_version = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
    if (get_version != nullptr) get_version(&version);
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    list.push_back({State::kGood, "NVIDIA driver",
                    fmt::format("CUDA {}.{}{}{}", version / 1000, version % 1000 / 10, line.empty() ? "" : ", ", line),
                    ""});
  }
  // The folders of the collector's cupti_library.cpp.
  void* cupti = nullptr;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so.13",
                           "/usr/local/cuda/lib64/libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12", "/usr/local/cuda/lib/libcupti.so.13"})
    if ((cupti = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  if (cupti == nullptr) {
    list.push_back({State::kNote, "CUPTI", "no libcupti.so.13 or .12 on the loader's path",
                    "PyTorch brings its own and needs nothing; for C++ programs install the CUDA toolkit or set "
                    "LACUNA_CUPTI to a libcupti"});
  } else {
    std::uint32_t api = 0;
    if (auto* get = reinterpret_cast<int (*)(std::uint32_t*)>(dlsym(cupti, "cuptiGetVersion"))) get(&api);
    const bool is_too_new = api >= 130000 && version > 0 && version < 13000;
    list.push_back({is_too_new ? State::kMissing : State::kGood, "CUPTI",
                    fmt::format("API {}, {}", api, path_of(cupti)),
                    is_too_new ? "CUPTI of CUDA 13 needs a driver for CUDA 13: update the driver, or set LACUNA_CUPTI "
                                 "to CUDA 12's libcupti"
                               : ""});
  }
  if (driver == nullptr) return;
  std::ifstream params("/proc/driver/nvidia/params");
  for (std::string line; std::getline(params, line);)
    if (line.starts_with("RmProfilingAdminOnly:") && line.ends_with("1"))
      list.push_back({State::kNote, "Permissions", "GPU performance counters are for root only",
                      "nothing: kernel and copy times, which Lacuna records, do not need them"});
  if (access("/dev/nvidiactl", R_OK | W_OK) != 0)
    list.push_back({State::kMissing, "Permissions", "/dev/nvidiactl cannot be opened",
                    "add your user to the group that owns it, or start the container with its GPUs"});
}

void conflicts(std::vector<Checkup>& list) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    if (const char* value = std::getenv(name); value != nullptr && value == find_installation().collector) {
      list.push_back({State::kGood, name, "Lacuna's own (lacuna env): what is started here is dormant", ""});
    } else if (value != nullptr && *value != '\0')
      list.push_back({State::kNote, name, value, "another profiler set it; lacuna record replaces it for its target"});
  if (std::getenv("KINETO_USE_DAEMON") != nullptr)
    list.push_back({State::kNote, "KINETO_USE_DAEMON", "set", "dynolog may take CUPTI from Lacuna while it traces"});
}

void python(std::vector<Checkup>& list) {
  const char* program = is_in_path("python3") ? "python3" : nullptr;
  if (program == nullptr) {
    list.push_back({State::kNote, "Python", "no python3 in PATH", "needed only to record PyTorch programs"});
    return;
  }
  list.push_back({State::kGood, "Python",
                  output_of("python3 -c 'import sys; print(sys.version.split()[0], sys.executable)' 2>/dev/null"), ""});
  const std::string torch = output_of(
      "python3 -c 'import torch, os; print(torch.__version__, \"CUDA\", torch.version.cuda, torch.__path__[0], "
      "os.path.exists(torch.__path__[0] + \"/include/ATen/record_function.h\"))' 2>/dev/null");
  if (torch.empty()) {
    list.push_back({State::kNote, "PyTorch", "this python3 has no torch",
                    "activate the environment of your program before lacuna record"});
    return;
  }
  list.push_back({State::kGood, "PyTorch", torch, ""});
  const bool has_compiler =
      std::getenv("CXX") != nullptr || is_in_path("c++") || is_in_path("g++") || is_in_path("clang++");
  const bool has_headers = torch.ends_with("True");
  if (has_compiler && has_headers) {
    list.push_back(
        {State::kGood, "Operators", "through RecordFunction (built on first use, some 20 s, then cached)", ""});
  } else {
    const bool has_cuda = torch.find("CUDA None") == std::string::npos;
    list.push_back({has_cuda ? State::kNote : State::kMissing, "Operators",
                    fmt::format("{}{}", has_compiler ? "" : "no C++ compiler; ",
                                has_headers ? "" : "no C++ headers in this torch; ") +
                        (has_cuda ? "emit_nvtx names those of the main thread" : "they cannot be recorded"),
                    has_compiler ? "install torch from its wheel" : "install g++"});
  }
}

}  // namespace

std::vector<Checkup> examine() {
  std::vector<Checkup> list{collector(), capture_socket(), watching(), clock()};
  gpu(list);
  for (Checkup& checkup : examine_metrics()) list.push_back(std::move(checkup));
  conflicts(list);
  list.push_back(
      {State::kGood, "NVTX",
       "NVTX 3 (2019 and later) in the target is recorded by itself; older programs (libnvToolsExt.so) are not", ""});
  for (Checkup& checkup : examine_sampling()) list.push_back(std::move(checkup));
  for (Checkup& checkup : examine_running()) list.push_back(std::move(checkup));
  python(list);
  return list;
}

}  // namespace lacuna
