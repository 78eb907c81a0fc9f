#include "model/base/os/folder_tree.h"

#include <cerrno>
#include <memory>

#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lacuna {
namespace {

struct CloseTree {
  void operator()(FTS* opened) const { fts_close(opened); }
};
using Tree = std::unique_ptr<FTS, CloseTree>;

Tree open_tree(const std::string& path) noexcept {
  char* const roots[] = {const_cast<char*>(path.c_str()), nullptr};  // fts_open copies it
  return Tree(fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, nullptr));
}

}  // namespace

std::error_code remove_tree(const std::string& path) noexcept {
  int failed = 0;
  const auto note = [&](int error) {
    if (failed == 0 && error != ENOENT) failed = error;
  };
  const Tree tree = open_tree(path);
  if (tree == nullptr) note(errno);
  while (tree != nullptr) {
    errno = 0;
    const FTSENT* entry = fts_read(tree.get());
    if (entry == nullptr) {
      note(errno == 0 ? ENOENT : errno);
      break;
    }
    switch (entry->fts_info) {
      case FTS_D:
        break;  // comes again, as FTS_DP
      case FTS_ERR:
      case FTS_NS:
        note(entry->fts_errno);
        break;
      case FTS_DNR:  // it may be empty
      case FTS_DP:
        if (rmdir(entry->fts_accpath) != 0) note(entry->fts_info == FTS_DNR ? entry->fts_errno : errno);
        break;
      default:
        if (unlink(entry->fts_accpath) != 0) note(errno);
    }
  }
  return {failed, std::generic_category()};
}

std::uint64_t bytes_in_tree(const std::string& folder) noexcept {
  std::uint64_t bytes = 0;
  const Tree tree = open_tree(folder);
  while (const FTSENT* entry = tree == nullptr ? nullptr : fts_read(tree.get()))
    if (entry->fts_info == FTS_F && S_ISREG(entry->fts_statp->st_mode))
      bytes += static_cast<std::uint64_t>(entry->fts_statp->st_size);
  return bytes;
}

}  // namespace lacuna
