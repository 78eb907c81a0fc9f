#include "capture/sampling/python_stacks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/wire/clock.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostInterpreters = 64;
constexpr std::size_t kMostPythonThreads = 4096;
constexpr std::size_t kLongestCalled = 80;
constexpr int kMostTries = 5;               // for an inconsistent stack
constexpr std::uint32_t kSizeOffset = 16;   // ob_size, and length of a str
constexpr std::uint32_t kBytesOffset = 32;  // of a bytes object's contents
constexpr std::uint32_t kStrState = 32;

/// Where the C library keeps the tid in what pthread_self() points to: found in our own, for want of an interface.
/// 0 where it is not found.
std::size_t offset_of_tid_in_pthread() {
  static const std::size_t offset = [] {
    constexpr std::size_t kMost = 1024;
    const auto tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    RemoteMemory memory(getpid());
    std::array<std::uint32_t, kMost / 4> words{};
    if (!memory.read(static_cast<std::uint64_t>(pthread_self()), words.data(), sizeof words)) return std::size_t{0};
    const auto found = std::ranges::find(words, tid);
    return found == words.end() ? std::size_t{0} : static_cast<std::size_t>(found - words.begin()) * 4;
  }();
  return offset;
}

/// Python's own modules, compiled in or not, and what was installed.
bool is_of_library(std::string_view file) {
  return file.starts_with("<frozen ") || file.find("/site-packages/") != file.npos ||
         file.find("/dist-packages/") != file.npos || file.find("/lib/python3.") != file.npos;
}

/// Modules that the recording puts into the program (capture/python).
bool is_of_lacuna(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name == "lacuna_names.py" || name == "lacuna_torch.py" || name == "lacuna_steps.py";
}

void append_utf8(std::uint32_t c, std::string& out) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xf0 | (c >> 18 & 7)));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  }
}

}  // namespace

PythonStacks::PythonStacks(int pid, const PythonProgram& program, const PythonLayout& layout, TextPool& texts)
    : memory_(pid), program_(program), layout_(layout), texts_(texts), source_(pid) {
  std::error_code error;
  directory_ = std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", pid), error).string();
}

std::string PythonStacks::text_at(std::uint64_t address) {
  std::uint64_t length = 0;
  std::uint32_t state = 0;
  if (!memory_.read(address + kSizeOffset, length) || !memory_.read(address + kStrState, state)) return {};
  const std::uint32_t kind = state >> 2 & 7u;
  const bool is_compact = (state >> 5 & 1u) != 0, is_ascii = (state >> 6 & 1u) != 0;
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || length > kMostText) return {};
  std::string raw(static_cast<std::size_t>(length) * kind, '\0');
  if (raw.empty() ||
      !memory_.read(address + (is_ascii ? layout_.ascii_bytes : layout_.compact_bytes), raw.data(), raw.size()))
    return {};
  if (is_ascii) return raw;
  std::string text;
  for (std::size_t i = 0; i < raw.size(); i += kind) {
    std::uint32_t c = 0;
    std::memcpy(&c, raw.data() + i, kind);
    append_utf8(c, text);
  }
  return text;
}

std::string PythonStacks::bytes_at(std::uint64_t address) {
  std::uint64_t length = 0;
  if (!memory_.read(address + kSizeOffset, length) || length > kMostTable) return {};
  std::string bytes(static_cast<std::size_t>(length), '\0');
  if (!bytes.empty() && !memory_.read(address + kBytesOffset, bytes.data(), bytes.size())) return {};
  return bytes;
}

/// As Kineto shows paths: without what leads to packages, the library or where the program runs.
std::string PythonStacks::shown_path(std::string_view file) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
    if (const std::size_t at = file.rfind(folder); at != file.npos) return std::string(file.substr(at + folder.size()));
  if (const std::size_t at = file.find("/lib/python3."); at != file.npos)
    if (const std::size_t end = file.find('/', at + 13); end != file.npos) return std::string(file.substr(end + 1));
  if (directory_.size() > 1 && file.size() > directory_.size() + 1 && file.starts_with(directory_) &&
      file[directory_.size()] == '/')
    return std::string(file.substr(directory_.size() + 1));
  return std::string(file);
}

PythonStacks::Code* PythonStacks::code_at(std::uint64_t address) {
  const auto known = codes_.find(address);
  if (known != codes_.end() && now_ < known->second.checked + kCheckCodeEveryNs) return &known->second;
  std::uint64_t type = 0, filename = 0, name = 0;
  std::uint32_t first_line = 0;
  if (!memory_.read(address + 8, type) || type != program_.code_type) return nullptr;
  if (!memory_.read(address + layout_.code_filename, filename) || !memory_.read(address + layout_.code_name, name) ||
      !memory_.read(address + layout_.code_first_line, first_line))
    return nullptr;
  if (known != codes_.end() && known->second.filename == filename && known->second.name == name &&
      known->second.first_line == first_line) {
    known->second.checked = now_;
    return &known->second;
  }
  if (known == codes_.end() && codes_.size() >= kMostCodes) codes_.clear();
  Code code;
  code.filename = filename;
  code.name = name;
  code.first_line = first_line;
  code.checked = now_;
  std::uint64_t qualified = 0, lines = 0;
  if (layout_.code_qualname != 0) (void)memory_.read(address + layout_.code_qualname, qualified);
  std::string title = qualified != 0 ? text_at(qualified) : std::string();
  if (title.empty()) title = text_at(name);
  const std::string file = text_at(filename);
  if (title.empty() || file.empty()) return nullptr;
  if (memory_.read(address + layout_.code_lines, lines)) code.lines = bytes_at(lines);
  code.file = texts_.add(file);
  code.is_ours = is_of_lacuna(file);
  code.category = is_of_library(file) ? kPythonLibraryCategory : kPythonSampleCategory;
  code.title = texts_.add(fmt::format("{}({}): {}", shown_path(file), first_line, title));
  return &codes_.insert_or_assign(address, std::move(code)).first->second;
}

const PythonStacks::Code::Place& PythonStacks::place_in(Code& code, std::uint32_t offset) {
  const auto [entry, is_new] = code.places.try_emplace(offset);
  if (!is_new) return entry->second;
  Code::Place& place = entry->second;
  const SourcePlace at = place_of_instruction(layout_.line_table, code.lines, code.first_line, offset);
  place.line = at.line;
  const std::optional<std::string> text = source_.text(code.file, at);
  if (!text) return place;
  const std::string_view called = at.column >= 0 ? called_name(*text) : only_call(*text);
  if (at.column >= 0) place.calls = is_call(*text) ? PythonStack::Calls::kSomething : PythonStack::Calls::kNothing;
  if (!called.empty() && called.size() <= kLongestCalled) place.called = texts_.add(called);
  return place;
}

void PythonStacks::end_loop() {
  stack_.loops.push_back(in_loop_);
  in_loop_ = 0;
}

bool PythonStacks::add_frame(std::uint64_t frame, std::uint64_t& previous) {
  std::uint64_t code_address = 0;
  std::uint8_t owner = 0, is_entry = 0;
  if (!memory_.read(frame + layout_.frame_previous, previous) ||
      !memory_.read(frame + layout_.frame_code, code_address))
    return false;
  constexpr std::uint8_t kOwnedByInterpreter = 3;
  if (layout_.frame_owner != 0 && memory_.read(frame + layout_.frame_owner, owner) && owner >= kOwnedByInterpreter) {
    end_loop();
    return true;
  }
  Code* code = code_at(code_address);
  if (code == nullptr) return false;
  std::uint32_t offset = 0;
  if (layout_.code_instructions != 0) {
    std::uint64_t instruction = 0;
    if (!memory_.read(frame + layout_.frame_instruction, instruction)) return false;
    const std::uint64_t begin = code_address + layout_.code_instructions;
    offset = instruction > begin ? static_cast<std::uint32_t>(instruction - begin) : 0;
  } else {
    std::int32_t last = 0;
    if (!memory_.read(frame + layout_.frame_instruction, last)) return false;
    offset = last > 0 ? static_cast<std::uint32_t>(last) * (layout_.minor >= 10 ? 2u : 1u) : 0;
  }
  if (!code->is_ours) {
    const Code::Place& place = place_in(*code, offset);
    if (stack_.frames.empty() && stack_.loops.empty()) {
      stack_.calls = place.calls;
      if (!place.called.empty()) stack_.called = {place.called, code->category, code->file, place.line};
    }
    stack_.frames.push_back({code->title, code->category, code->file, place.line});
    ++in_loop_;
  }
  const bool each_has_its_own = layout_.frames == PythonLayout::Frames::kObjects;
  if (each_has_its_own ||
      (layout_.frame_entry != 0 && memory_.read(frame + layout_.frame_entry, is_entry) && is_entry != 0))
    end_loop();
  return true;
}

bool PythonStacks::read_frames(std::uint64_t thread) {
  stack_.clear();
  in_loop_ = 0;
  std::uint64_t frame = 0;
  if (!memory_.read(thread + layout_.thread_frame, frame)) return false;
  if (layout_.frames == PythonLayout::Frames::kBehindCFrame && frame != 0 &&
      !memory_.read(frame + layout_.cframe_frame, frame))
    return false;
  for (std::size_t depth = 0; frame != 0 && depth < kMostFrames; ++depth) {
    std::uint64_t previous = 0;
    if (!add_frame(frame, previous)) return false;
    frame = previous;
  }
  if (in_loop_ > 0) end_loop();
  return true;
}

bool PythonStacks::read_sensible(std::uint64_t thread) {
  // It changed while it was read, as stacks of running threads do: a moment later it mostly makes sense.
  for (int tries = 0; tries < kMostTries; ++tries) {
    memory_.forget();  // as it is now
    if (read_frames(thread)) return true;
  }
  ++broken_;
  return false;
}

void PythonStacks::begin_look() {
  memory_.forget();
  now_ = wire::monotonic_ns();
}

const PythonStack* PythonStacks::read_thread(std::uint32_t tid) {
  const auto found = threads_.find(tid);
  begin_look();
  if (found == threads_.end() || tid_of(found->second) != tid) return nullptr;
  return read_sensible(found->second) && !stack_.frames.empty() ? &stack_ : nullptr;
}

std::uint32_t PythonStacks::tid_of(std::uint64_t thread) {
  if (layout_.thread_native_id != 0) {
    std::uint64_t native = 0;
    return memory_.read(thread + layout_.thread_native_id, native) ? static_cast<std::uint32_t>(native) : 0;
  }
  std::uint64_t pthread = 0;
  std::uint32_t tid = 0;
  if (offset_of_tid_in_pthread() == 0 || !memory_.read(thread + layout_.thread_id, pthread) ||
      !memory_.read(pthread + offset_of_tid_in_pthread(), tid))
    return 0;
  return tid;
}

bool PythonStacks::read(const std::function<bool(std::uint32_t)>& is_wanted,
                        const std::function<void(std::uint32_t, const PythonStack&)>& visit) {
  begin_look();
  threads_.clear();
  std::uint64_t interpreter = 0;
  if (!memory_.read(program_.runtime + layout_.interpreters, interpreter) || interpreter == 0) return false;
  bool any = false;
  for (std::size_t i = 0; interpreter != 0 && i < kMostInterpreters; ++i) {
    std::uint64_t thread = 0;
    if (!memory_.read(interpreter + layout_.interpreter_threads, thread)) break;
    for (std::size_t t = 0; thread != 0 && t < kMostPythonThreads; ++t) {
      const std::uint32_t tid = tid_of(thread);
      std::uint64_t next = 0;
      const bool has_next = memory_.read(thread + layout_.thread_next, next);
      if (tid != 0) {
        threads_.emplace(tid, thread);
        if (!is_wanted(tid)) {
          any = true;
        } else if (read_sensible(thread)) {
          if (!stack_.frames.empty()) visit(tid, stack_);
          any = true;
        }
      }
      if (!has_next) break;
      thread = next;
    }
    if (!memory_.read(interpreter + layout_.interpreter_next, interpreter)) break;
  }
  return any;
}

}  // namespace lacuna
