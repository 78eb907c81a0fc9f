#include "capture/remote/remote_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/remote/checksum.h"
#include "capture/remote/fields.h"
#include "capture/remote/packed.h"
#include "model/base/cancel.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/user_folders.h"
#include "model/base/shell_words.h"
#include "model/cache/least_used.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartName = "part";
constexpr std::uint64_t kDiskMargin = std::uint64_t{64} << 20;
constexpr std::size_t kMostHostChars = 60;
constexpr std::size_t kMostNameChars = 150;
constexpr auto kTellEvery = std::chrono::milliseconds(100);
constexpr auto kAskLockEvery = std::chrono::milliseconds(200);

std::string without_paths(std::string_view text) {
  std::string safe(text);
  for (char& c : safe)
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("\x7f/\\*?[]:").find(c) != std::string_view::npos)
      c = '_';
  if (safe.starts_with('.')) safe.front() = '_';
  return safe;
}

bool is_key(const std::string& name) {
  return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::path path : folder_paths(folder, failed)) {
    const std::uint64_t size = fs::is_regular_file(path, failed) ? fs::file_size(path, failed) : 0;
    if (!failed) bytes += size;
  }
  return bytes;
}

/// Whether another process holds the part that it fetches into this folder.
bool is_being_fetched(const fs::path& folder) {
  const int part = ::open((folder / kPartName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (part < 0) return false;
  const bool is_held = ::flock(part, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(part);
  return is_held;
}

}  // namespace

std::string local_name(const RemotePlace& place, const std::string& path) {
  const std::string host = without_paths(std::string_view(place.name()).substr(0, kMostHostChars));
  std::string name = without_paths(std::string_view(path).substr(path.rfind('/') + 1));
  if (name.size() > kMostNameChars) name = name.substr(name.size() - kMostNameChars);
  if (name.empty()) name = "trace";
  return host + ":" + name;
}

std::string RemoteFiles::default_folder() {
  const std::string folder = user_cache_folder();
  return folder.empty() ? folder : folder + "/lacuna/remote";
}

/// How much of a fetch may be under way, where somebody else wants to be answered soon on the same line: what the line
/// carries in the time that a word and its answer take, and a little more, so that it is seldom idle and hardly queues;
/// once nobody has waited for a while, so much more that it is never idle.
class FetchPace {
 public:
  std::uint64_t ask() {
    asked_ = allowed_at_ = Clock::now();
    return allowed_ = kLeast;
  }
  /// `round_trip`: what was measured before, on the same line.
  void begin(Nanos round_trip) {
    is_on_ = true;
    begun_ = Clock::now();
    there_and_back_ = std::min<Clock::duration>(begun_ - asked_, std::chrono::nanoseconds(round_trip));
  }
  bool is_on() const { return is_on_; }
  /// Somebody waits for something else now. How much may come in all nevertheless, so that this gets on, too, where
  /// others always ask; 0: nothing more.
  std::uint64_t hold() {
    held_ = Clock::now();
    if (held_ - allowed_at_ < kMostWait || came_ + kLeast <= allowed_) return 0;
    allowed_at_ = held_;
    return allowed_ = came_ + kLeast;
  }
  void add(std::uint64_t bytes) {
    came_ += bytes;
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    if (seconds < kMeasureS) return;
    const double rate = static_cast<double>(came_ - came_before_) / seconds;
    const double wanted = rate * (std::chrono::duration<double>(there_and_back_).count() +
                                  (now - held_ < kLooksFor ? kQueueS : kIdleQueueS));
    window_ = static_cast<std::uint64_t>(std::clamp(wanted, double{kLeast}, double{kMost}));
    begun_ = now;
    came_before_ = came_;
  }
  /// How much may come in all, where that is worth saying; 0: it is not.
  std::uint64_t more() {
    const std::uint64_t allowed = came_ + window_;
    if (allowed < allowed_ + window_ / 8) return 0;
    allowed_at_ = Clock::now();
    return allowed_ = allowed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kLeast = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kMost = std::uint64_t{8} << 20;
  static constexpr double kMeasureS = 0.25;
  static constexpr double kQueueS = 0.04;
  static constexpr double kIdleQueueS = 0.25;  // nobody has looked around for a while
  static constexpr auto kLooksFor = std::chrono::seconds(2);
  static constexpr auto kMostWait = std::chrono::seconds(1);
  bool is_on_ = false;
  Clock::time_point asked_, begun_, held_, allowed_at_;
  Clock::duration there_and_back_{};
  std::uint64_t came_ = 0, came_before_ = 0, allowed_ = 0, window_ = kLeast;
};

/// One file on its way. Owns the part of it that is here, which it holds locked.
class RemoteFiles::Fetch {
 public:
  Fetch(const RemoteFiles& files, const RemotePlace& place, const RemoteFile& file, FetchStep step,
        const FetchTeller& tell, const std::atomic<bool>* cancel, const FetchBeside* beside)
      : files_(files),
        place_(place),
        file_(file),
        step_(std::move(step)),
        tell_(tell),
        cancel_(cancel),
        aside_(beside != nullptr ? beside->aside : nullptr),
        holds_(beside != nullptr ? beside->holds : nullptr) {
    FieldWriter key;
    key.text(place.host).text(join_words(place.transport));
    put(key, file);
    key_ = fmt::format("{:016x}", Checksum::of(key.bytes()));
    folder_ = files.folder_ + "/" + key_;
    path_ = folder_ + "/" + local_name(place, file.path);
    step_.path = file.path;
    step_.total = file.bytes;
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  const std::string& key() const { return key_; }
  const std::string& path() const { return path_; }
  bool is_here() const {
    struct stat info {};
    if (::lstat(path_.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (info.st_uid != ::geteuid() || static_cast<std::uint64_t>(info.st_size) != file_.bytes) return false;
    ::utimensat(AT_FDCWD, folder_.c_str(), nullptr, 0);  // used just now
    return true;
  }

  /// `far`: the line, made anew where it broke.
  Result<void> run(std::unique_ptr<FarSide>& far) {
    if (is_here()) return {};
    int tries = 0;
    bool is_second_time = false;
    for (;;) {
      const std::uint64_t before = have_;
      Result<void> got = far != nullptr ? wait_while_held(*far) : Result<void>();
      if (far != nullptr && got && !part_.is_open()) {
        got = claim(*far);
        if (got && is_here()) return got;
      }
      if (far != nullptr && got) got = receive(*far);
      if (far != nullptr && got) break;
      if (far != nullptr && is_damaged_ && !std::exchange(is_second_time, true)) continue;  // from its begin
      if (far != nullptr && !far->is_line_lost()) return got;
      tries = have_ > before || is_held() ? 0 : tries + 1;
      const std::string why = far != nullptr ? got.error().message() : step_.waits;
      if (tries >= files_.limits_.tries)
        return fail(ErrorCode::kNotReadable,
                    fmt::format("{}; {} of {} bytes are here, and the same command goes on behind them", why, have_,
                                file_.bytes));
      far.reset();
      step_.waits = why;
      step_.has_line = false;
      if (Result<void> waited = wait(files_.limits_.pause_ms << std::min(tries, 5)); !waited) return waited;
      Result<std::unique_ptr<FarSide>> again = FarSide::connect(place_, cancel_, files_.limits_.patience);
      if (again) {
        far = std::move(*again);
        far->set_aside(aside_);
        step_.waits.clear();
        step_.has_line = true;
      } else if (is_cancelled(cancel_)) {
        return tl::make_unexpected(again.error());
      } else {
        step_.waits = again.error().message();
      }
    }
    return publish();
  }

 private:
  bool is_held() const { return holds_ != nullptr && *holds_; }

  Result<void> wait_while_held(FarSide& far) {
    if (!is_held()) return {};
    tell();
    Result<void> held = far.attend([this] { return !is_held() || is_cancelled(cancel_); });
    if (held && is_cancelled(cancel_)) return fail(ErrorCode::kCancelled, "cancelled");
    return held;
  }

  Result<void> claim(FarSide& far) {
    if (!make_private_folder(files_.folder_) || !make_private_folder(folder_))
      return fail(ErrorCode::kNotWritable, "not a folder private to this user", folder_);
    const std::string part = folder_ + "/" + kPartName;
    part_ = Descriptor(::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!part_.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), part);
    while (!lock_file(part_.get())) {
      step_.waits = "another lacuna fetches it";
      tell();
      // Whoever looks around meanwhile is served.
      const auto until = std::chrono::steady_clock::now() + kAskLockEvery;
      Result<void> waited =
          far.attend([&] { return is_cancelled(cancel_) || std::chrono::steady_clock::now() >= until; });
      if (waited && is_cancelled(cancel_)) waited = fail(ErrorCode::kCancelled, "cancelled");
      if (!waited) {
        (void)part_.close();
        return waited;
      }
    }
    step_.waits.clear();
    if (is_here()) return {};
    struct stat info {};
    if (::fstat(part_.get(), &info) != 0) return fail(ErrorCode::kNotReadable, std::strerror(errno), part);
    if (info.st_nlink == 0) return claim_again(far);  // it was finished, and thrown away again
    have_ = static_cast<std::uint64_t>(info.st_size);
    if (have_ > file_.bytes) have_ = 0;
    const auto free = free_on_disk(part_.get());
    if (free && file_.bytes - have_ + kDiskMargin > *free)
      return fail(ErrorCode::kLimit, fmt::format("{} bytes do not fit on the disk of {}", file_.bytes, files_.folder_),
                  file_.path);
    return {};
  }
  Result<void> claim_again(FarSide& far) {
    (void)part_.close();
    return claim(far);
  }

  Result<void> wait(int ms) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    do {
      tell();
      if (is_cancelled(cancel_)) return fail(ErrorCode::kCancelled, "cancelled");
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(ms, 50)));
    } while (std::chrono::steady_clock::now() < until);
    return {};
  }

  void tell() {
    step_.bytes = have_;
    reported_ = std::chrono::steady_clock::now();
    if (tell_) tell_(step_);
  }

  /// The checksum of what is here already.
  Result<void> begin_hash() {
    hash_.reset();
    std::string block(std::size_t{1} << 20, '\0');
    for (std::uint64_t at = 0; at < have_;) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), have_ - at));
      if (read_at(part_.get(), at, std::span(block).first(wanted)) != wanted)
        return fail(ErrorCode::kNotReadable, "what was fetched before cannot be read", path_);
      hash_.add(std::string_view(block).substr(0, wanted));
      at += wanted;
    }
    return {};
  }

  Result<void> take(FarSide& far, const Frame& frame) {
    if (frame.kind == FrameKind::kBeat) return {};
    if (frame.kind == FrameKind::kAnswer && aside_ != nullptr && !pace_.is_on()) {
      pace_.begin(far.round_trip());
      allow(far);
      return {};
    }
    if (frame.kind != FrameKind::kData || !unpacker_->unpack(frame.payload, bytes_))
      return fail(ErrorCode::kUnsupported, "the data of the file is malformed");
    if (bytes_.size() > file_.bytes - have_) return fail(ErrorCode::kUnsupported, "more data than the file has");
    hash_.add(bytes_);
    pace_.add(frame.payload.size());
    allow(far);
    if (!write_at(part_.get(), have_, bytes_)) return fail(ErrorCode::kNotWritable, std::strerror(errno), path_);
    have_ += bytes_.size();
    if (std::chrono::steady_clock::now() - reported_ >= kTellEvery) tell();
    return {};
  }

  /// Lets more come, unless somebody waits for something else.
  void allow(FarSide& far) {
    if (!pace_.is_on()) return;
    if (is_held()) return;
    if (const std::uint64_t more = aside_->is_urgent() ? pace_.hold() : pace_.more(); more > 0)
      (void)far.send(FrameKind::kMay, FieldWriter().number(more).bytes());
  }

  Result<void> receive(FarSide& far) {
    is_damaged_ = false;
    if (Result<void> hashed = begin_hash(); !hashed) return hashed;
    if (!resize_file(part_.get(), have_)) return fail(ErrorCode::kNotWritable, std::strerror(errno), path_);
    unpacker_ = std::make_unique<PackedReader>();
    tell();
    FieldWriter request;
    put(request, file_);
    request.number(have_);
    pace_ = {};
    if (aside_ != nullptr) request.number(pace_.ask());
    const auto done = far.ask(RemoteVerb::kFetch, request.take(),
                              {[&](const Frame& frame) { return take(far, frame); }, [&] { allow(far); }}, cancel_);
    if (!done) return tl::make_unexpected(done.error());
    FieldReader fields(*done);
    const bool is_same = fields.number() == hash_.value() && fields.ok() && have_ == file_.bytes;
    if (is_same) return {};
    is_damaged_ = true;
    have_ = 0;
    return fail(ErrorCode::kNotReadable, "it arrived damaged: its checksum differs", file_.path);
  }

  Result<void> publish() {
    const std::string part = folder_ + "/" + kPartName;
    const timespec modified{file_.modified_ns / 1'000'000'000, file_.modified_ns % 1'000'000'000};
    const timespec times[2] = {{0, UTIME_NOW}, modified};
    if (file_.modified_ns > 0) ::futimens(part_.get(), times);
    tell();
    if (!rename_file(part, path_)) return fail(ErrorCode::kNotWritable, std::strerror(errno), path_);
    return {};
  }

  const RemoteFiles& files_;
  const RemotePlace& place_;
  const RemoteFile& file_;
  FetchStep step_;
  const FetchTeller& tell_;
  const std::atomic<bool>* cancel_;
  FarAside* aside_;
  const std::atomic<bool>* holds_;
  FetchPace pace_;
  std::string key_, folder_, path_;
  Descriptor part_;
  std::uint64_t have_ = 0;
  bool is_damaged_ = false;
  Checksum hash_;
  std::unique_ptr<PackedReader> unpacker_;
  std::string bytes_;
  std::chrono::steady_clock::time_point reported_;
};

Result<std::vector<std::string>> RemoteFiles::fetch(const RemotePlace& place, const std::vector<std::string>& paths,
                                                    const FetchTeller& tell, const std::atomic<bool>* cancel,
                                                    FetchBeside* beside) const {
  if (folder_.empty()) return fail(ErrorCode::kNotWritable, "no place for fetched files: set HOME or XDG_CACHE_HOME");
  std::error_code failed;
  fs::create_directories(fs::path(folder_).parent_path(), failed);
  if (tell) tell({});
  const bool has_line = beside != nullptr && beside->line != nullptr;
  Result<std::unique_ptr<FarSide>> far =
      has_line ? std::move(beside->line) : FarSide::connect(place, cancel, limits_.patience);
  if (!far) return tl::make_unexpected(far.error());
  const Result<std::vector<RemoteFile>> files = (*far)->find(paths, cancel);
  if (!files) return tl::make_unexpected(files.error());
  if (files->empty()) return fail(ErrorCode::kNotFound, "no file there can be read", place.name());
  FarAside* const aside = beside != nullptr ? beside->aside : nullptr;
  if (beside != nullptr && beside->found) {
    std::vector<std::string> here;
    bool are_here = true;
    for (const RemoteFile& file : *files) {
      const Fetch one(*this, place, file, {}, tell, cancel, beside);
      are_here = one.is_here() && are_here;
      here.push_back(one.path());
    }
    beside->found(*files, here, are_here);
  }
  (*far)->set_aside(aside);
  std::vector<std::string> fetched;
  std::vector<std::string> keys;
  for (const RemoteFile& file : *files) {
    Fetch one(*this, place, file, {.file = fetched.size() + 1, .files = files->size()}, tell, cancel, beside);
    keys.push_back(one.key());
    if (Result<void> done = one.run(*far); !done) {
      Error error = done.error();
      if (error.file.empty()) error.file = place.name() + ":" + file.path;
      return tl::make_unexpected(std::move(error));
    }
    fetched.push_back(one.path());
    make_room(keys);
  }
  if (beside != nullptr) beside->line = std::move(*far);
  return fetched;
}

void RemoteFiles::make_room(const std::vector<std::string>& in_use) const {
  std::vector<CachedEntry> all;
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::path path : folder_paths(folder_, failed)) {
    const std::string name = path.filename().string();
    if (!is_key(name) || !fs::is_directory(fs::symlink_status(path, failed))) continue;
    const CachedEntry kept{path, fs::last_write_time(path, failed).time_since_epoch().count(), bytes_below(path)};
    if (failed) continue;  // another process took it away
    bytes += kept.bytes;
    if (std::ranges::find(in_use, name) == in_use.end()) all.push_back(kept);
  }
  remove_least_used(std::move(all), bytes, limits_.most_bytes,
                    [](const CachedEntry& entry) { return !is_being_fetched(entry.path); });
}

RemoteFiles::Usage RemoteFiles::usage() const {
  Usage usage;
  std::error_code failed;
  for (const fs::path path : folder_paths(folder_, failed)) {
    if (!is_key(path.filename().string())) continue;
    ++usage.files;
    usage.bytes += bytes_below(path);
  }
  return usage;
}

}  // namespace lacuna
