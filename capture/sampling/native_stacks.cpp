#include "capture/sampling/native_stacks.h"

#include <array>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include "capture/sampling/remote_memory.h"
#include "capture/sampling/symbol_spans.h"
#include "capture/wire/clock.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostNativeFrames = 256;
constexpr std::size_t kMostNamedPlaces = 500'000;
constexpr std::uint64_t kReportAgainNs = 1'000'000'000;

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

/// What libdw asks us while it unwinds, and its handle of the process.
struct NativeStacks::Unwinder {
  explicit Unwinder(int process) : pid(process), memory(process) {
    static char* no_debug_folders = nullptr;
    static const Dwfl_Callbacks callbacks{dwfl_linux_proc_find_elf, no_debug_info, nullptr, &no_debug_folders};
    dwfl = dwfl_begin(&callbacks);
  }
  ~Unwinder() {
    if (dwfl != nullptr) dwfl_end(dwfl);
  }
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // Symbols of the files themselves will do: debug files are large, and some come from the network.
  static int no_debug_info(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
  }

  bool report() {
    if (dwfl == nullptr) return false;
    dwfl_report_begin_add(dwfl);
    const bool is_read = dwfl_linux_proc_report(dwfl, pid) == 0;
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (is_read && !is_attached) is_attached = dwfl_attach_state(dwfl, nullptr, pid, &kThreads, this);
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
  Dwfl* dwfl = nullptr;
  bool is_attached = false;
  std::unordered_map<Dwfl_Module*, SymbolSpans> spans;  // modules stay while dwfl does
  const PerfRecord* sample = nullptr;
  std::uint64_t stack_begin = 0;
  std::vector<std::uint64_t> addresses;  // innermost first
};

NativeStacks::NativeStacks(int pid, TextPool& texts) : texts_(texts), unwinder_(std::make_unique<Unwinder>(pid)) {}

NativeStacks::~NativeStacks() = default;

SampledFrame NativeStacks::frame_at(std::uint64_t address) {
  if (named_.size() > kMostNamedPlaces) named_.clear();
  const auto [entry, is_new] = named_.try_emplace(address);
  if (!is_new) return entry->second;
  SampledFrame& frame = entry->second;
  frame.category = kNativeSampleCategory;
  Dwfl_Module* module = dwfl_addrmodule(unwinder_->dwfl, address);
  if (module == nullptr) {
    frame.name = texts_.add("[unknown code]");
    return frame;
  }
  Dwarf_Addr begin = 0;
  const char* path = dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
  const std::string_view file = path != nullptr ? path : "?";
  frame.file = texts_.add(file);
  const std::string name = unwinder_->spans.try_emplace(module, module).first->second.at(address);
  const std::string_view short_file = file.substr(file.rfind('/') + 1);
  frame.name = texts_.add(!name.empty() ? name : fmt::format("{} (no symbol)", short_file));
  return frame;
}

std::span<const SampledFrame> NativeStacks::unwind(const PerfRecord& sample) {
  frames_.clear();
  Unwinder& u = *unwinder_;
  if (sample.registers.empty() || u.dwfl == nullptr) return {};
  const std::uint64_t now = wire::monotonic_ns();
  u.sample = &sample;
  u.stack_begin = u.register_at(kStackRegister);
  const std::uint64_t innermost = u.register_at(kInstructionRegister);
  const bool is_known = reported_ != 0 && dwfl_addrmodule(u.dwfl, innermost) != nullptr;
  if (!is_known && (reported_ == 0 || now - reported_ > kReportAgainNs)) {
    reported_ = now;
    named_.clear();  // libraries may lie elsewhere now
    if (!u.report()) return {};
  }
  if (!u.is_attached) return {};
  u.memory.forget();
  u.addresses.clear();
  (void)dwfl_getthread_frames(u.dwfl, u.pid, Unwinder::take_frame, &u);
  if (u.addresses.empty()) u.addresses.push_back(innermost);
  for (auto address = u.addresses.rbegin(); address != u.addresses.rend(); ++address)
    frames_.push_back(frame_at(*address));
  return frames_;
}

}  // namespace lacuna
