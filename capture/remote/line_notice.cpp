#include "capture/remote/line_notice.h"

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "capture/remote/checksum.h"
#include "capture/remote/fields.h"
#include "model/base/os/files.h"
#include "model/base/shell_words.h"

namespace lacuna {
namespace {

struct flock whole_file(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

LineNotice::LineNotice(const std::string& folder, const RemotePlace& place) {
  if (folder.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), failed);
  ::mkdir(folder.c_str(), 0700);
  const std::string key = FieldWriter().text(place.host).text(join_words(place.transport)).take();
  const std::string path = fmt::format("{}/waits-{:016x}", folder, Checksum::of(key));
  file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
}

void LineNotice::wait(bool waits) {
  if (!file_.is_open() || waits == waits_) return;
  waits_ = waits;
  struct flock lock = whole_file(waits ? F_RDLCK : F_UNLCK);
  (void)::fcntl(file_.get(), F_OFD_SETLK, &lock);  // several may hold it; nobody ever holds more
}

bool LineNotice::others_wait() const {
  if (!file_.is_open()) return false;
  struct flock lock = whole_file(F_WRLCK);
  return ::fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace lacuna
