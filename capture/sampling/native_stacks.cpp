#include "capture/sampling/native_stacks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include "capture/sampling/remote_memory.h"
#include "capture/sampling/start_job.h"
#include "capture/sampling/symbol_spans.h"
#include "capture/wire/clock.h"
#include "model/base/guarded.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostNativeFrames = 256;
constexpr std::size_t kMostNamedPlaces = 500'000;
constexpr std::size_t kMostJoined = 20'000;
constexpr std::uint64_t kStillThereNs = 100'000'000;
constexpr std::uint64_t kFirstLookForLibrariesNs = 20'000'000;
constexpr std::uint64_t kLookForLibrariesEveryNs = 1'000'000'000;

#if defined(__x86_64__)
// DWARF numbers of the registers in the order of kSampleRegisters: ax bx cx dx si di bp sp ip r8 … r15.
constexpr std::array<int, 17> kDwarfRegisters{0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::size_t kStackRegister = 7, kInstructionRegister = 8;
#elif defined(__aarch64__)
constexpr auto kDwarfRegisters = [] {
  std::array<int, 33> numbers{};
  for (int i = 0; i < 33; ++i) numbers[static_cast<std::size_t>(i)] = i;  // x0 … x30, sp, pc (32)
  return numbers;
}();
constexpr std::size_t kStackRegister = 31, kInstructionRegister = 32;
#else
constexpr std::array<int, 1> kDwarfRegisters{0};
constexpr std::size_t kStackRegister = 0, kInstructionRegister = 0;
#endif

}  // namespace

namespace {

// Symbols of the files themselves will do: debug files are large, and some come from the network.
int find_no_debug_info(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
  return -1;
}
char* no_debug_folders = nullptr;

struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};
using DwflHandle = std::unique_ptr<Dwfl, EndDwfl>;

/// The symbols of a module, read by a thread of its own, with a handle of libdw of its own.
class ModuleNames {
 public:
  /// Reads those of `module` right here.
  explicit ModuleNames(Dwfl_Module* module) { spans_.emplace(module); }
  /// Begins to read those of a file that is mapped with `bias`.
  ModuleNames(std::string path, GElf_Addr bias) {
    static const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, find_no_debug_info, nullptr, &no_debug_folders};
    dwfl_.reset(dwfl_begin(&callbacks));
    reading_ = start_job([this, path = std::move(path), bias] {
      (void)run_guarded([&] { read(path, bias); }, [](std::string_view) {});
    });
  }
  ~ModuleNames() {
    if (reading_.valid()) reading_.wait();
  }
  ModuleNames(const ModuleNames&) = delete;
  ModuleNames& operator=(const ModuleNames&) = delete;

  bool is_there(bool waits) {
    if (!reading_.valid()) return true;
    if (waits) reading_.wait();
    return is_done(reading_);
  }
  /// Only once it is there. Empty without a name.
  std::string at(std::uint64_t address) { return spans_ ? spans_->at(address) : std::string(); }

 private:
  void read(const std::string& path, GElf_Addr bias) {
    if (dwfl_ == nullptr) return;
    dwfl_report_begin(dwfl_.get());
    Dwfl_Module* module = dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), -1, bias, true);
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    if (module != nullptr) spans_.emplace(module);
  }

  DwflHandle dwfl_;  // where the module is not the unwinder's
  std::optional<SymbolSpans> spans_;
  std::future<void> reading_;
};

/// Libraries of the system, which the interpreter itself calls, too.
bool is_c_library(std::string_view file) {
  return file.starts_with("libc.") || file.starts_with("libc-") || file.starts_with("libm.") ||
         file.starts_with("libpthread") || file.starts_with("ld-linux") || file.starts_with("[vdso");
}

bool begins_a_thread(std::string_view name) {
  return name == "_start" || name.find("clone") != std::string_view::npos || name == "__libc_start_main" ||
         name.find("libc_start") != std::string_view::npos;
}

/// Files from this size on have many symbols: reading them takes longer than there is time between two looks.
constexpr std::uintmax_t kLargeFile = std::uintmax_t{32} << 20;

std::unique_ptr<ModuleNames> names_of(Dwfl_Module* module) {
  GElf_Addr bias = 0;
  const bool has_file = dwfl_module_getelf(module, &bias) != nullptr;
  const char* path = nullptr;
  (void)dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &path, nullptr);
  std::error_code error;
  if (has_file && path != nullptr && std::filesystem::file_size(path, error) >= kLargeFile && !error)
    return std::make_unique<ModuleNames>(path, bias);
  return std::make_unique<ModuleNames>(module);
}

}  // namespace

/// What libdw asks us while it unwinds, and its handle of the process.
struct NativeStacks::Unwinder {
  explicit Unwinder(int process) : pid(process), memory(process) {
    static const Dwfl_Callbacks callbacks{dwfl_linux_proc_find_elf, find_no_debug_info, nullptr, &no_debug_folders};
    dwfl.reset(dwfl_begin(&callbacks));
    addresses.reserve(kMostNativeFrames);  // nothing may be thrown through libdw
  }
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  bool report() {
    if (dwfl == nullptr) return false;
    dwfl_report_begin_add(dwfl.get());
    const bool is_read = dwfl_linux_proc_report(dwfl.get(), pid) == 0;
    dwfl_report_end(dwfl.get(), nullptr, nullptr);
    if (is_read && !is_attached) is_attached = dwfl_attach_state(dwfl.get(), nullptr, pid, &kThreads, this);
    return is_read && is_attached;
  }

  static pid_t next_thread(Dwfl*, void* self, void** thread) {
    if (*thread != nullptr) return 0;
    *thread = self;
    return static_cast<Unwinder*>(self)->pid;
  }
  static bool get_thread(Dwfl*, pid_t, void* self, void** thread) {
    *thread = self;
    return true;
  }
  static bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* value, void* self_pointer) {
    auto* self = static_cast<Unwinder*>(self_pointer);
    const auto stack = self->sample->stack;
    if (address >= self->stack_begin && address + sizeof *value <= self->stack_begin + stack.size()) {
      std::memcpy(value, stack.data() + (address - self->stack_begin), sizeof *value);
      return true;
    }
    // Beyond the copy lie the frames of the outermost functions, which change least.
    std::uint64_t read = 0;
    if (!self->memory.read(address, read)) return false;
    *value = read;
    return true;
  }
  static bool set_registers(Dwfl_Thread* thread, void* self_pointer) {
    auto* self = static_cast<Unwinder*>(self_pointer);
    for (std::size_t i = 0; i < kDwarfRegisters.size(); ++i) {
      const Dwarf_Word value = self->register_at(i);
      if (!kPcIsRegister && kDwarfRegisters[i] == kPc) {
        dwfl_thread_state_register_pc(thread, value);
        continue;
      }
      if (!dwfl_thread_state_registers(thread, kDwarfRegisters[i], 1, &value)) return false;
    }
    return true;
  }
  static int take_frame(Dwfl_Frame* frame, void* self_pointer) {
    auto* self = static_cast<Unwinder*>(self_pointer);
    Dwarf_Addr pc = 0;
    bool is_activation = false;
    if (!dwfl_frame_pc(frame, &pc, &is_activation)) return DWARF_CB_ABORT;
    // A return address is behind the call, which may be the last thing of its function.
    self->addresses.push_back(is_activation ? pc : pc - 1);
    return self->addresses.size() < kMostNativeFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
  }
  std::uint64_t register_at(std::size_t index) const {
    std::uint64_t value = 0;
    if (8 * (index + 1) <= sample->registers.size()) std::memcpy(&value, sample->registers.data() + 8 * index, 8);
    return value;
  }

#if defined(__x86_64__)
  static constexpr int kPc = 16;
  static constexpr bool kPcIsRegister = true;
#else
  static constexpr int kPc = 32;
  static constexpr bool kPcIsRegister = false;
#endif
  static constexpr Dwfl_Thread_Callbacks kThreads{next_thread,   get_thread, read_memory,
                                                  set_registers, nullptr,    nullptr};

  int pid;
  RemoteMemory memory;
  DwflHandle dwfl;
  bool is_attached = false;
  std::unordered_map<Dwfl_Module*, std::unique_ptr<ModuleNames>> names;  // modules stay while dwfl does
  const PerfRecord* sample = nullptr;
  std::uint64_t stack_begin = 0;
  std::vector<std::uint64_t> addresses;  // innermost first
};

NativeStacks::NativeStacks(int pid, TextPool& texts) : texts_(texts), unwinder_(std::make_unique<Unwinder>(pid)) {}

NativeStacks::~NativeStacks() = default;

/// Are the names of the module there that has the address?
bool NativeStacks::is_named(std::uint64_t address, bool waits) {
  if (named_.contains(address)) return true;
  Dwfl_Module* module = dwfl_addrmodule(unwinder_->dwfl.get(), address);
  if (module == nullptr) return true;
  std::unique_ptr<ModuleNames>& names = unwinder_->names[module];
  if (names == nullptr) names = names_of(module);
  return names->is_there(waits);
}

NativeFrame NativeStacks::frame_at(std::uint64_t address) {
  if (named_.size() > kMostNamedPlaces) named_.clear();
  const auto [entry, is_new] = named_.try_emplace(address);
  if (!is_new) return entry->second;
  NativeFrame& native = entry->second;
  native.frame.category = kNativeSampleCategory;
  Dwfl_Module* module = dwfl_addrmodule(unwinder_->dwfl.get(), address);
  if (module == nullptr) {
    native.frame.name = texts_.add(kUnknownCode);
    return native;
  }
  Dwarf_Addr begin = 0;
  const char* path = dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
  const std::string_view file = path != nullptr ? path : "?";
  native.frame.file = texts_.add(file);
  const std::string name = unwinder_->names.at(module)->at(address);
  const std::string_view short_file = file.substr(file.rfind('/') + 1);
  native.frame.name = texts_.add(!name.empty() ? name : std::string(short_file).append(kNoSymbol));
  native.is_interpreter = python_address_ != 0 && module == dwfl_addrmodule(unwinder_->dwfl.get(), python_address_);
  native.is_library = is_c_library(short_file);
  return native;
}

void NativeStacks::add(Sample sample) {
  // Both kinds come nearly in the order of time.
  auto at = taken_.end();
  while (at != taken_.begin() && std::prev(at)->time > sample.time) --at;
  taken_.insert(at, std::move(sample));
}

void NativeStacks::take_python(std::uint32_t tid, std::uint64_t time, const PythonStack& python) {
  add({tid, time, {}, python});
}

/// Of the sample: its addresses. False where one of them lies in no library that is known.
bool NativeStacks::unwind() {
  Unwinder& u = *unwinder_;
  u.addresses.clear();
  if (!u.is_attached) return false;
  u.memory.forget();
  (void)dwfl_getthread_frames(u.dwfl.get(), u.pid, Unwinder::take_frame, &u);
  if (u.addresses.empty()) u.addresses.push_back(u.register_at(kInstructionRegister));
  // Where no library is known the unwinding ends.
  return dwfl_addrmodule(u.dwfl.get(), u.addresses.back()) != nullptr;
}

/// Programs load libraries at any time, most at their beginning; code of a compiler at run time is never found. Each
/// look waits twice as long. False: it is too early for another.
bool NativeStacks::look_for_libraries() {
  const std::uint64_t now = wire::monotonic_ns();
  if (looked_ != 0 && now - looked_ < look_every_) return false;
  looked_ = now;
  look_every_ = std::clamp(look_every_ * 2, kFirstLookForLibrariesNs, kLookForLibrariesEveryNs);
  named_.clear();  // libraries may lie elsewhere now
  return unwinder_->report();
}

void NativeStacks::take(const PerfRecord& sample, std::optional<PythonStack> python) {
  Unwinder& u = *unwinder_;
  if (sample.registers.empty() || u.dwfl == nullptr) return;
  u.sample = &sample;
  u.stack_begin = u.register_at(kStackRegister);
  if (!unwind() && look_for_libraries()) (void)unwind();
  if (!u.is_attached) return;
  add({sample.tid, sample.time, u.addresses, std::move(python)});
}

/// Makes frames_ of a sample whose names are there.
void NativeStacks::name(const Sample& sample) {
  natives_.clear();
  for (const std::uint64_t address : sample.addresses) natives_.push_back(frame_at(address));
  if (sample.python) {
    const auto last = joined_.find(sample.tid);
    if (natives_.empty() && last != joined_.end() && sample.time < last->second.time + kStillThereNs &&
        last->second.python.is_same_place(*sample.python)) {
      frames_ = last->second.frames;
      return;
    }
    const bool is_whole = !natives_.empty() && begins_a_thread(natives_.back().frame.name);
    if (join_stacks(*sample.python, natives_, is_whole, frames_)) {
      if (joined_.size() > kMostJoined) joined_.clear();
      joined_[sample.tid] = {sample.time, *sample.python, frames_};
    }
    return;
  }
  frames_.clear();
  for (auto native = natives_.rbegin(); native != natives_.rend(); ++native) frames_.push_back(native->frame);
}

void NativeStacks::hand_over(std::uint64_t until, bool waits, const Visit& visit) {
  while (!taken_.empty() && (waits || taken_.front().time < until)) {
    const Sample& sample = taken_.front();
    if (!std::ranges::all_of(sample.addresses, [&](std::uint64_t address) { return is_named(address, waits); })) return;
    name(sample);
    visit({sample.tid, sample.time, sample.python.has_value(), frames_});
    taken_.pop_front();
  }
}

}  // namespace lacuna
