// What becomes of a process that touches a page of a mapped file that cannot be had. Each time in a process of its own.
#include "model/base/os/mapped_files.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/growing_memory.h"
#include "model/base/page_memory.h"
#include "model/base/spill_space.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

constexpr int kNotHere = 77;

struct Ended {
  int status = 0;
  std::string said;
  int code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
  int signal() const { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
};

/// What a process comes to that does this. It is killed where nobody takes its signal.
Ended end_of(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::signal(SIGBUS, SIG_DFL);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  std::array<char, 512> piece{};
  for (ssize_t got = 0; (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
    ended.said.append(piece.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  REQUIRE(::waitpid(child, &ended.status, 0) == child);
  return ended;
}

std::size_t page() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Mapping {
  int file = -1;
  volatile char* at = nullptr;
};
Mapping map_file(const std::string& path, std::size_t bytes) {
  Mapping made;
  made.file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made.file < 0 || ::ftruncate(made.file, static_cast<off_t>(bytes)) != 0) ::_exit(kNotHere);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.file, 0);
  if (at == MAP_FAILED) ::_exit(kNotHere);
  made.at = static_cast<volatile char*>(at);
  return made;
}

bool write_text(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool is_written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) ::close(file);
  return is_written;
}

/// Cuts the nameless files of this process that lie below the folder.
void cut_files_in(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code failed;
    const std::string path = std::filesystem::read_symlink(entry, failed);
    if (path.starts_with(folder)) (void)!::ftruncate(std::stoi(entry.path().filename()), 0);
  }
}

/// The folder of nameless files is the test's own.
struct CacheFolder {
  CacheFolder() { ::setenv("XDG_CACHE_HOME", folder.path.c_str(), 1); }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a mapped file that is cut ends the process with words") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/table";
  const Ended ended = end_of([&] {
    explain_bus_errors();
    const Mapping mapped = map_file(path, 4 * page());
    note_mapping(const_cast<const char*>(mapped.at), 4 * page(), mapped.file, 0, path);
    mapped.at[3 * page()] = 1;
    if (::ftruncate(mapped.file, static_cast<off_t>(page())) != 0) ::_exit(kNotHere);
    mapped.at[3 * page() + 5] = 1;
  });
  CHECK(ended.code() == 1);
  CHECK(ended.said == "lacuna: " + path + " was cut to " + std::to_string(page()) +
                          " bytes while it was read at byte " + std::to_string(3 * page() + 5) + "\n");
}

TEST_CASE("a mapped file of which only a part is mapped is told by the bytes of the file") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/table";
  const Ended ended = end_of([&] {
    explain_bus_errors();
    const Mapping mapped = map_file(path, 4 * page());
    note_mapping(const_cast<const char*>(mapped.at) + page(), page(), mapped.file, page(), "the second page");
    for (int i = 0; i < 300; ++i)  // more than one table of the handler has
      note_mapping(reinterpret_cast<const char*>(8 * page() * static_cast<std::size_t>(i + 1)), page(), mapped.file, 0,
                   "others");
    note_mapping(const_cast<const char*>(mapped.at) + 2 * page(), page(), mapped.file, 2 * page(), "the third page");
    if (::ftruncate(mapped.file, 0) != 0) ::_exit(kNotHere);
    (void)mapped.at[2 * page() + 7];
  });
  CHECK(ended.code() == 1);
  CHECK(ended.said ==
        "lacuna: the third page was cut to 0 bytes while it was read at byte " + std::to_string(2 * page() + 7) + "\n");
}

TEST_CASE("a disk that fills up under a mapped file ends the process with words") {
  const TemporaryFolder folder;
  const std::string disk = folder.path;
  const Ended ended = end_of([&] {
    // A file system of 16 pages, which only this process sees.
    const std::string user = "0 " + std::to_string(::getuid()) + " 1";
    const std::string group = "0 " + std::to_string(::getgid()) + " 1";
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !write_text("/proc/self/uid_map", user) ||
        !write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/gid_map", group) ||
        ::mount("small", disk.c_str(), "tmpfs", 0, ("size=" + std::to_string(16 * page())).c_str()) != 0)
      ::_exit(kNotHere);
    explain_bus_errors();
    const Mapping mapped = map_file(disk + "/table", 64 * page());
    note_mapping(const_cast<const char*>(mapped.at), 64 * page(), mapped.file, 0, "table");
    for (std::size_t i = 0; i < 64; ++i) mapped.at[i * page()] = 1;
  });
  if (ended.code() == kNotHere) {
    MESSAGE("skipped: this machine lets nobody mount a file system of their own");
    return;
  }
  CHECK(ended.code() == 1);
  CHECK(ended.said.starts_with("lacuna: table: the disk is full; it was used at byte "));
}

TEST_CASE("errors at other addresses are what they were before") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/table";
  const auto touch_cut_file = [&](bool forgets) {
    const Mapping mapped = map_file(path, 2 * page());
    if (forgets) {
      note_mapping(const_cast<const char*>(mapped.at), 2 * page(), mapped.file, 0, path);
      forget_mapping(const_cast<const char*>(mapped.at));
    }
    if (::ftruncate(mapped.file, 0) != 0) ::_exit(kNotHere);
    (void)mapped.at[page()];
  };
  for (const bool forgets : {false, true}) {
    CAPTURE(forgets);
    const Ended killed = end_of([&] {
      explain_bus_errors();
      touch_cut_file(forgets);
    });
    CHECK(killed.signal() == SIGBUS);
    CHECK(killed.said.empty());
    CHECK(end_of([&] {
            ::signal(SIGBUS, [](int) { ::_exit(5); });
            explain_bus_errors();
            touch_cut_file(forgets);
          }).code() == 5);
  }
  CHECK(end_of([] {
          explain_bus_errors();
          ::raise(SIGBUS);
        }).signal() == SIGBUS);
}

TEST_CASE("slices and tables on disk are told by what they are") {
  const CacheFolder cache;
  const std::string folder = cache.folder.path + "/lacuna";
  std::string name;
  if (const Result<Descriptor> file = open_spill_file(name); !file) {
    MESSAGE("skipped: " << file.error().message());
    return;
  }
  for (const int which : {0, 1, 2}) {  // the block, a copy made before it went to disk, and one made later
    CAPTURE(which);
    const Ended slices = end_of([&] {
      explain_bus_errors();
      const auto memory = GrowingMemory::make();
      if (memory == nullptr) ::_exit(kNotHere);
      const std::vector sealed = {SealedBytes{0, 1 << 20}};
      const auto block = memory->block(16 << 20);
      std::fill_n(block->data(), 1 << 20, std::byte{7});
      block->seal(sealed);
      const auto early = block->copy(sealed);
      while (memory->move_sealed(0)) continue;
      const auto late = block->copy(sealed);
      { const auto gone = block->copy(sealed); }
      cut_files_in(folder);
      const volatile std::byte* const at = (which == 0 ? block : which == 1 ? early : late)->data();
      (void)at[100'000];
    });
    if (slices.code() == kNotHere) return;
    CHECK(slices.code() == 1);
    CHECK(slices.said ==
          "lacuna: slices on disk in " + folder + " was cut to 0 bytes while it was read at byte 100000\n");
  }
  const Ended tables = end_of([&] {
    explain_bus_errors();
    if (!start_spilling()) ::_exit(kNotHere);
    const PageVector<char> table(1 << 20, 'x');
    cut_files_in(folder);
    const volatile char* const at = table.data();
    (void)at[200'000];
  });
  if (tables.code() == kNotHere) return;  // the address space is limited
  CHECK(tables.code() == 1);
  CHECK(tables.said.starts_with("lacuna: tables on disk in " + folder +
                                " was cut to 0 bytes while it was read at byte "));
}

}  // namespace lacuna
