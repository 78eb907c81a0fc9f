#include "capture/kineto/trace_pickup.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/kineto/kineto_request.h"
#include "model/base/os/descriptor.h"

namespace lacuna {
namespace {

constexpr std::size_t kCopyBlock = std::size_t{1} << 18;
constexpr std::array<std::string_view, 2> kOperators{R"("cat": "cpu_op")", R"("cat": "kernel")"};

/// Size of a plain file of this user; -1: there is none.
std::int64_t size_of_own(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid()) return -1;
  return found.st_size;
}

}  // namespace

std::string new_trace_name(const std::string& folder) {
  std::array<std::uint64_t, 2> random{};
  if (getrandom(random.data(), sizeof random, 0) != static_cast<ssize_t>(sizeof random))
    random = {static_cast<std::uint64_t>(getpid()), reinterpret_cast<std::uintptr_t>(&random)};
  return fmt::format("{}/lacuna_{:016x}{:016x}.json", folder, random[0], random[1]);
}

TracePickup::TracePickup(const RunningJob& job, const std::string& file, bool is_snapshot)
    : unfinished_(job.root + kineto_file_of(file, job.own_pid) + ".tmp"),
      path_(job.root + (is_snapshot ? file : kineto_file_of(file, job.own_pid))),
      is_snapshot_(is_snapshot) {}

/// Python closes a pickle with a full stop, and writes the last part of it at once.
bool TracePickup::is_snapshot_whole() {
  const std::int64_t bytes = size_of_own(path_);
  if (bytes != std::exchange(seen_bytes_, bytes) || bytes < 1) return false;
  const Descriptor from(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!from.is_open()) return true;  // take() says why
  char last = 0;
  return pread(from.get(), &last, 1, bytes - 1) != 1 || last == '.';
}

TracePickup::State TracePickup::state() {
  if (is_snapshot_ ? is_snapshot_whole() : size_of_own(path_) >= 0) return State::kComplete;
  return size_of_own(unfinished_) >= 0 || size_of_own(path_) >= 0 ? State::kBegun : State::kNothing;
}

std::uint64_t TracePickup::bytes() const {
  std::int64_t size = size_of_own(path_);
  if (size < 0) size = size_of_own(unfinished_);
  return size < 0 ? 0 : static_cast<std::uint64_t>(size);
}

Result<TracePickup::Taken> TracePickup::take(ClaimedFile& to) {
  const Descriptor from(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!from.is_open()) return fail(ErrorCode::kNotReadable, std::strerror(errno), path_);
  struct stat found {};
  if (fstat(from.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid())
    return fail(ErrorCode::kNotReadable, "not a plain file of this user", path_);
  Taken taken;
  constexpr std::size_t kOverlap = 32;  // a word may lie across two blocks
  std::string block(kOverlap + kCopyBlock, ' ');
  ssize_t got = 0;
  while ((got = read(from.get(), block.data() + kOverlap, kCopyBlock)) > 0 || (got < 0 && errno == EINTR)) {
    if (got < 0) continue;
    const std::string_view all(block.data(), kOverlap + static_cast<std::size_t>(got));
    to.file().write(all.substr(kOverlap));
    for (const std::string_view word : kOperators)
      taken.has_operators = taken.has_operators || all.find(word) != std::string_view::npos;
    taken.bytes += static_cast<std::uint64_t>(got);
    block.replace(0, kOverlap, std::string(all.substr(all.size() - kOverlap)));
  }
  if (got < 0) return fail(ErrorCode::kNotReadable, std::strerror(errno), path_);
  // Whole before it takes the place of anything.
  if (Result<void> finished = to.file().finish(); !finished) return tl::make_unexpected(finished.error());
  if (Result<void> published = to.publish(); !published) return tl::make_unexpected(published.error());
  unlink(path_.c_str());
  if (is_snapshot_) remove_rest();  // Kineto's file for a trace, which stayed empty
  return taken;
}

void TracePickup::remove_rest() const {
  for (const std::string& path : {unfinished_, path_})
    if (size_of_own(path) >= 0) unlink(path.c_str());
}

}  // namespace lacuna
