#include "model/base/os/mapped_files.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

struct MappedFile {
  std::size_t bytes = 0;
  std::size_t offset = 0;
  std::string name;
};
/// By the address at which each begins.
struct MappedFiles {
  std::mutex lock;
  std::map<std::uintptr_t, MappedFile> files;
};
MappedFiles& mapped_files() {
  static auto* const files = new MappedFiles;  // mappings may go after main()
  return *files;
}

/// The thread that touched the page is asked first; nobody touches one while holding the lock.
LONG CALLBACK on_page_error(EXCEPTION_POINTERS* what) {
  const EXCEPTION_RECORD& record = *what->ExceptionRecord;
  if (record.ExceptionCode != static_cast<DWORD>(EXCEPTION_IN_PAGE_ERROR) || record.NumberParameters < 2)
    return EXCEPTION_CONTINUE_SEARCH;
  const std::uintptr_t address = record.ExceptionInformation[1];
  MappedFiles& all = mapped_files();
  const std::scoped_lock lock(all.lock);
  auto found = all.files.upper_bound(address);
  if (found == all.files.begin()) return EXCEPTION_CONTINUE_SEARCH;
  const auto& [begin, file] = *--found;
  if (address - begin >= file.bytes) return EXCEPTION_CONTINUE_SEARCH;
  const std::string text = fmt::format("lacuna: {}: the disk failed or is full; it was used at byte {}\n", file.name,
                                       file.offset + (address - begin));
  DWORD written = 0;
  ::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
  ::TerminateProcess(::GetCurrentProcess(), 1);
  return EXCEPTION_CONTINUE_SEARCH;
}

}  // namespace

void note_mapping(const void* begin, std::size_t bytes, [[maybe_unused]] int descriptor, std::size_t offset,
                  std::string_view name) {
  MappedFiles& all = mapped_files();
  const std::scoped_lock lock(all.lock);
  all.files.insert_or_assign(reinterpret_cast<std::uintptr_t>(begin), MappedFile{bytes, offset, std::string(name)});
}

void forget_mapping(const void* begin) {
  MappedFiles& all = mapped_files();
  const std::scoped_lock lock(all.lock);
  all.files.erase(reinterpret_cast<std::uintptr_t>(begin));
}

void explain_bus_errors() {
  ::AddVectoredExceptionHandler(1, on_page_error);
}

}  // namespace lacuna
