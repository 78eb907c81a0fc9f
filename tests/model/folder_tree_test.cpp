#include "model/base/os/folder_tree.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include <doctest/doctest.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "model/cache/least_used.h"
#include "tests/support/counted_memory.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;
namespace fs = std::filesystem;

namespace {

/// A folder in `folder` with a file at each depth.
std::string deep_folder(const TemporaryFolder& folder) {
  std::string path = folder.path + "/a folder with a name that is no short one";
  for (int i = 0; i < 5; ++i, path += "/inside") {
    fs::create_directory(path);
    (void)folder.write(path.substr(folder.path.size() + 1) + "/a file", "12345");
  }
  return folder.path + "/a folder with a name that is no short one";
}

}  // namespace

TEST_CASE("a folder goes with all that is in it; what links lead to stays") {
  const TemporaryFolder folder;
  const std::string kept = folder.write("kept", "123");
  const std::string tree = deep_folder(folder);
#if !defined(_WIN32)  // where only administrators make links
  fs::create_symlink(kept, tree + "/link");
  fs::create_directory_symlink(folder.path, tree + "/inside/out");
  fs::create_symlink(folder.path + "/nowhere", tree + "/inside/broken");
#endif
  CHECK(bytes_in_tree(tree) == 25);
  CHECK_FALSE(remove_tree(tree));
  CHECK_FALSE(fs::exists(tree));
  CHECK(fs::exists(kept));
  CHECK_FALSE(remove_tree(kept));
  CHECK_FALSE(fs::exists(kept));
  CHECK_FALSE(remove_tree(folder.path + "/no such"));
  CHECK(bytes_in_tree(folder.path + "/no such") == 0);
}

TEST_CASE("what cannot be removed is told, and the rest goes") {
#if defined(_WIN32)
  skip("a folder's rights are no POSIX permissions on Windows");
#else
  CHECK(remove_tree("/proc/self/fdinfo"));  // nobody may, not even root
  if (geteuid() == 0) return;
  const TemporaryFolder folder;
  const std::string tree = deep_folder(folder);
  fs::permissions(tree + "/inside/inside", fs::perms::none);
  CHECK(bytes_in_tree(tree) == 10);
  CHECK(remove_tree(tree) == std::errc::permission_denied);
  CHECK_FALSE(fs::exists(tree + "/a file"));
  fs::permissions(tree + "/inside/inside", fs::perms::owner_all);
  CHECK_FALSE(remove_tree(tree));
#endif
}

TEST_CASE("a folder is removed in a thread where memory runs out") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  const TemporaryFolder folder;
  const std::string tree = deep_folder(folder);
  std::vector<CachedEntry> entries(1);
  entries[0].path = tree;
  {
    const FailingMemory memory(1);
    std::thread([&] { remove_least_used(std::move(entries), 100, 0); }).join();
  }
  CHECK_FALSE(fs::exists(tree));
}
