#include "model/base/os/folder_paths.h"

#include <algorithm>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include <doctest/doctest.h>

#include "tests/support/counted_memory.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

TEST_CASE("what lies in a folder") {
  const TemporaryFolder folder;
  CHECK_FALSE(folder.write("b", "").empty());
  CHECK_FALSE(folder.write(".hidden", "").empty());
  std::error_code error;
  auto paths = folder_paths(folder.path, error);
  std::ranges::sort(paths);
  CHECK_FALSE(error);
  CHECK(paths == std::vector<std::string>{folder.path + "/.hidden", folder.path + "/b"});
  CHECK(folder_paths(folder.path + "/no such", error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK(folder_paths(folder.path + "/b", error).empty());
  CHECK(error == std::errc::not_a_directory);
}

TEST_CASE("a folder is listed in a thread where memory runs out, and the program goes on") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const TemporaryFolder folder;
  for (int i = 0; i < 5; ++i) (void)folder.write("a file with a name that is no short one " + std::to_string(i), "");
  std::uint64_t failures = 0;
  for (std::uint64_t call = 1; call < 100; ++call) {
    bool has_memory = false;
    std::uint64_t failed = 0;
    {
      const FailingMemory memory(call);
      std::thread listing([&] {
        try {
          std::error_code error;
          has_memory = folder_paths(folder.path, error).size() == 5;
        } catch (const std::bad_alloc&) {  // as it should be
        }
      });
      listing.join();
      failed = memory.failed();
    }
    if (failed == 0) {
      CHECK(has_memory);
      break;
    }
    ++failures;
  }
  CHECK(failures > 5);
}
