#include "capture/session/old_recordings.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/session/recording_spool.h"
#include "model/base/file_bytes.h"
#include "model/base/os/descriptor.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/folder_tree.h"
#include "model/export/replace_file.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "recording-";
constexpr std::string_view kEvents = "\"traceEvents\": [";
constexpr std::uint64_t kTellBytes = std::uint64_t{1} << 20;  // of what is written
constexpr std::time_t kYoungS = 60;                           // it may be one that is being made

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A file that knows how far it was read.
class CountedFile : public ByteSource {
 public:
  explicit CountedFile(const std::string& path) : file_(open_for_reading(path)) {}
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    const std::size_t got = file_.read_at(offset, out);
    read_ = std::max(read_, offset + got);
    return got;
  }
  std::uint64_t size() const override { return file_.size(); }
  std::uint64_t bytes_read() const { return read_; }

 private:
  const FileBytes file_;
  mutable std::uint64_t read_ = 0;
};

/// The lines of a part, compressed or (of an earlier version) not.
class PartLines {
 public:
  explicit PartLines(const std::string& path) : file_(path) {
    std::string head(4, '\0');
    head.resize(file_.read_at(0, head));
    stream_ = make_source_stream(file_, 0);
    if (detect_compression(head) == Compression::kZstd) stream_ = make_zstd_stream(std::move(stream_));
  }
  std::uint64_t bytes_read() const { return file_.bytes_read(); }  ///< as it lies on disk
  /// Without its end; false at the end of the file. What follows the last line end is no line.
  bool next(std::string& line) {
    line.clear();
    for (;;) {
      const std::size_t end = std::min(block_.find('\n', at_), block_.size());
      line.append(block_, at_, end - at_);
      if (end < block_.size()) {
        at_ = end + 1;
        return true;
      }
      block_.resize(kBlockBytes);
      block_.resize(stream_->read(block_));
      at_ = 0;
      if (block_.empty()) return !line.empty();
    }
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
  const CountedFile file_;
  std::unique_ptr<Stream> stream_;
  std::string block_;
  std::size_t at_ = 0;
};

/// Whether there is more in it than a header.
bool has_events(const std::string& part) {
  PartLines lines(part);
  std::string line;
  while (lines.next(line))
    if (line == kEvents) return lines.next(line) && line.starts_with('{');
  return false;
}

/// What lies in a folder of ours, or nothing.
std::optional<OldRecording> read_folder(const fs::path& path) {
  const std::string folder = path.string();
  struct stat facts {};
  if (!path.filename().string().starts_with(kPrefix) || lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) ||
      facts.st_uid != geteuid())
    return std::nullopt;
  OldRecording found;
  found.folder = folder;
  found.command = file_text(path / RecordingSpool::kCommandFile);
  found.began = facts.st_mtime;
  std::error_code error;
  for (std::string& part : folder_paths(folder, error)) {
    if (!part.substr(part.rfind('/') + 1).starts_with("part-")) continue;
    std::error_code gone;
    const std::uintmax_t bytes = fs::file_size(part, gone);
    found.bytes += gone ? 0 : bytes;
    found.parts.push_back(std::move(part));
  }
  std::ranges::sort(found.parts);
  struct stat command {};
  if (stat((folder + "/" + RecordingSpool::kCommandFile).c_str(), &command) == 0) found.began = command.st_mtime;
  return found;
}

}  // namespace

bool is_under_way(const std::string& folder) {
  const Descriptor lock(open((folder + "/" + RecordingSpool::kLockFile).c_str(), O_RDWR | O_CLOEXEC));
  return lock.is_open() && flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

std::vector<OldRecording> find_recordings_under_way(const std::string& parent) {
  std::vector<OldRecording> found;
  std::error_code error;
  for (const fs::path entry : folder_paths(parent, error)) {
    std::optional<OldRecording> recording = read_folder(entry);
    if (recording && is_under_way(recording->folder)) found.push_back(std::move(*recording));
  }
  std::ranges::sort(found, std::ranges::greater{}, &OldRecording::began);
  return found;
}

std::vector<OldRecording> find_old_recordings(const std::string& parent) {
  std::vector<OldRecording> found;
  std::error_code error;
  for (const fs::path entry : folder_paths(parent, error)) {
    std::optional<OldRecording> old = read_folder(entry);
    if (!old || is_under_way(old->folder)) continue;
    const bool has_any = std::ranges::any_of(old->parts, has_events);
    const std::string saved = file_text(entry / RecordingSpool::kSavedFile);
    struct stat facts {};
    const bool is_young = lstat(old->folder.c_str(), &facts) == 0 && std::time(nullptr) - facts.st_mtime < kYoungS;
    if ((!saved.empty() && fs::exists(saved, error)) || (!has_any && !is_young)) {
      (void)remove_tree(old->folder);
    } else if (has_any) {
      found.push_back(std::move(*old));
    }
  }
  std::ranges::sort(found, std::ranges::greater{}, &OldRecording::began);
  return found;
}

Result<void> delete_old_recording(const OldRecording& recording) {
  if (!recording.name().starts_with(kPrefix))
    return fail(ErrorCode::kInvalidArgument, "not a recording", recording.folder);
  if (is_under_way(recording.folder))
    return fail(ErrorCode::kNotWritable, "this recording is under way", recording.folder);
  if (const std::error_code error = remove_tree(recording.folder))
    return fail(ErrorCode::kNotWritable, error.message(), recording.folder);
  return {};
}

namespace {

Result<void> write_joined(const OldRecording& recording, const JoinProgress& go_on, OutputFile& out) {
  bool is_first = true;  // no event was written yet
  std::uint64_t bytes_before = 0;
  std::uint64_t written_when_reported = 0;
  for (const std::string& part : recording.parts) {
    PartLines lines(part);
    std::string head, line;
    bool is_in_events = false;
    while (out.ok() && lines.next(line)) {
      if (go_on && out.size() - written_when_reported >= kTellBytes) {
        written_when_reported = out.size();
        if (!go_on(bytes_before + lines.bytes_read()))
          return fail(ErrorCode::kCancelled, "it was not joined", recording.folder);
      }
      if (!is_in_events) {
        head.append(line).push_back('\n');
        is_in_events = line == kEvents;
        continue;
      }
      // A line that ends without a comma is the last one, or was cut off.
      const bool has_comma = line.ends_with(',');
      if (has_comma) line.pop_back();
      if (!line.ends_with('}')) break;
      out.write(std::exchange(is_first, false) ? std::string_view(head) : std::string_view(",\n"));
      out.write(line);
    }
    bytes_before += lines.bytes_read();
  }
  if (is_first) return fail(ErrorCode::kEmpty, "there are no events in it", recording.folder);
  out.write("\n],\n\"lacuna\": {\"recovered\": true}\n}\n");
  return {};
}

}  // namespace

Result<void> save_old_recording(const OldRecording& recording, const std::string& path, Existing existing,
                                const JoinProgress& go_on) {
  return replace_file(path, existing, [&](OutputFile& out) { return write_joined(recording, go_on, out); });
}

std::string whole_path(const OldRecording& recording) {
  return recording.parts.size() == 1 ? recording.parts.front() : recording.folder + "/whole.trace.json.zst";
}

Result<void> join_old_recording(const OldRecording& recording, const JoinProgress& go_on) {
  const std::string whole = whole_path(recording);
  struct stat found {};
  if (stat(whole.c_str(), &found) == 0) return {};  // the parts of a dead recording do not change
  // Another window, or a call that was told to stop and has not yet, may do the same: each in a file of its own.
  static std::atomic<unsigned> calls{0};
  const std::string mine = fmt::format("{}/joined-{}-{}.json.zst", recording.folder, getpid(), ++calls);
  Result<void> saved = save_old_recording(recording, mine, Existing::kKeep, go_on);
  if (saved && std::rename(mine.c_str(), whole.c_str()) != 0) {
    saved = fail(ErrorCode::kNotWritable, std::strerror(errno), whole);
    unlink(mine.c_str());
  }
  return saved;
}

}  // namespace lacuna
