#include "capture/sampling/python_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include "capture/sampling/proc_files.h"
#include "model/base/os/descriptor.h"

namespace lacuna {
namespace {

using Frames = PythonLayout::Frames;

constexpr std::array<PythonLayout, 6> kLayouts{{
    {8,  Frames::kObjects,  32, 8, 0, 8, 176, 0, 24, 0, 24, 32, 104, 0, 0, 104, 112, 0, 40, 120, 0, 48,
     72, LineTable::kLnotab},
    {9,  Frames::kObjects,  32, 8, 0, 8, 176, 0, 24, 0, 24, 32, 104, 0, 0, 104, 112, 0, 40, 120, 0, 48,
     72, LineTable::kLnotab},
    {10, Frames::kObjects, 32, 8, 0, 8, 176, 0, 24, 0, 24, 32, 96, 0, 0, 104, 112, 0, 40, 120, 0, 48,
     72, LineTable::kLines},
    {11, Frames::kBehindCFrame, 40, 16, 0, 8, 152, 160, 56, 8, 48, 32, 56, 69, 68, 112, 120, 128, 72, 136, 184, 48,
     72, LineTable::kLocations},
    {12, Frames::kBehindCFrame, 40, 72, 0, 8, 136, 144, 56, 0, 8, 0, 56, 70, 0, 112, 120, 128, 68, 136, 192, 40,
     56, LineTable::kLocations},
    {13, Frames::kDirect,      632, 7344, 7264, 8, 152, 160, 72, 0, 8, 0, 56, 70, 0, 112, 120, 128, 68, 136, 200, 40,
     56, LineTable::kLocations},
}};

/// Symbols that matter, as the file has them.
struct PythonSymbols {
  std::uint64_t runtime = 0, runtime_size = 0;
  std::uint64_t code_type = 0;
  std::uint64_t version = 0;        // Py_Version, in a read-only part: read from the file
  std::uint64_t first_segment = 0;  // address of the first loaded segment
  bool is_fixed = false;            // ET_EXEC: mapped where it says
};

/// A file's contents at an address of its own.
bool read_at_address(Elf* elf, int descriptor, std::uint64_t address, void* out, std::size_t size) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD) continue;
    if (address < segment.p_vaddr || address + size > segment.p_vaddr + segment.p_filesz) continue;
    return pread(descriptor, out, size, static_cast<off_t>(segment.p_offset + (address - segment.p_vaddr))) ==
           static_cast<ssize_t>(size);
  }
  return false;
}

std::optional<PythonSymbols> read_python_symbols(const std::string& path, std::uint64_t& version) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, decltype(&elf_end)> opened(elf_begin(file.get(), ELF_C_READ_MMAP, nullptr), elf_end);
  Elf* elf = opened.get();
  PythonSymbols found;
  GElf_Ehdr header;
  if (elf != nullptr && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != nullptr) {
    found.is_fixed = header.e_type == ET_EXEC;
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) == 0) {
      for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD) {
          found.first_segment = segment.p_vaddr & ~std::uint64_t{4095};
          break;
        }
      }
    }
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr head;
      if (gelf_getshdr(section, &head) == nullptr || head.sh_type != SHT_DYNSYM || head.sh_entsize == 0) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr) continue;
      for (std::size_t i = 0; i < head.sh_size / head.sh_entsize; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
        const char* name = elf_strptr(elf, head.sh_link, symbol.st_name);
        if (name == nullptr) continue;
        const std::string_view text = name;
        if (text == "_PyRuntime") found.runtime = symbol.st_value, found.runtime_size = symbol.st_size;
        if (text == "PyCode_Type") found.code_type = symbol.st_value;
        if (text == "Py_Version") found.version = symbol.st_value;
      }
    }
    if (found.version != 0) (void)read_at_address(elf, file.get(), found.version, &version, sizeof version);
  }
  if (found.runtime == 0 || found.code_type == 0) return std::nullopt;
  return found;
}

/// "libpython3.10.so.1.0" and "python3.10" say 10.
int minor_in_name(std::string_view path) {
  const std::size_t at = path.rfind("python3.");
  int minor = -1;
  if (at != path.npos) std::from_chars(path.data() + at + 8, path.data() + path.size(), minor);
  return minor;
}

}  // namespace

std::optional<PythonLayout> python_layout(int major, int minor) {
  if (major != 3) return std::nullopt;
  for (const PythonLayout& layout : kLayouts)
    if (layout.minor == minor) return layout;
  return std::nullopt;
}

std::optional<PythonProgram> find_python(int pid) {
  std::array<char, 4096> target{};
  const ssize_t length = readlink(fmt::format("/proc/{}/exe", pid).c_str(), target.data(), target.size() - 1);
  if (length <= 0) return std::nullopt;
  const std::string_view program(target.data(), static_cast<std::size_t>(length));
  const std::string maps = proc_text(fmt::format("/proc/{}/maps", pid));
  std::string last;
  // The first mapping of a file is that of its first segment.
  for (std::size_t begin_of_line = 0; begin_of_line < maps.size();) {
    const std::size_t end_of_line = std::min(maps.find('\n', begin_of_line), maps.size());
    const std::string line = maps.substr(begin_of_line, end_of_line - begin_of_line);
    begin_of_line = end_of_line + 1;
    const std::size_t slash = line.find('/');
    if (slash == line.npos) continue;
    const std::string path = line.substr(slash);
    if (path == last) continue;
    last = path;
    const std::size_t name = path.rfind('/') + 1;
    const bool is_program = path == program;
    if (!is_program && path.find("libpython", name) == path.npos) continue;
    std::uint64_t version = 0;
    const auto symbols = read_python_symbols(
        is_program ? fmt::format("/proc/{}/exe", pid) : fmt::format("/proc/{}/root{}", pid, path), version);
    if (!symbols) continue;
    const std::uint64_t begin = std::strtoull(line.c_str(), nullptr, 16);
    const std::uint64_t shift = symbols->is_fixed ? 0 : begin - symbols->first_segment;
    PythonProgram found;
    found.major = version != 0 ? static_cast<int>(version >> 24) : 3;
    found.minor =
        version != 0 ? static_cast<int>(version >> 16 & 0xff) : minor_in_name(std::string_view(path).substr(name));
    found.runtime = symbols->runtime + shift;
    found.runtime_size = symbols->runtime_size;
    found.code_type = symbols->code_type + shift;
    return found;
  }
  return std::nullopt;
}

}  // namespace lacuna
