#include "capture/session/old_recordings.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "capture/session/recording_spool.h"
#include "model/export/output_file.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "recording-";
constexpr std::string_view kEvents = "\"traceEvents\": [\n";
constexpr std::time_t kYoungS = 60;  // it may be one that is being made

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Whether a living process holds it.
bool is_owned(const std::string& folder) {
  const int lock = open((folder + "/" + RecordingSpool::kLockFile).c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  const bool is_owned = flock(lock, LOCK_EX | LOCK_NB) != 0;
  close(lock);
  return is_owned;
}

}  // namespace

std::vector<OldRecording> find_old_recordings(const std::string& parent) {
  std::vector<OldRecording> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string folder = entry.path().string();
    struct stat facts {};
    if (!entry.path().filename().string().starts_with(kPrefix) || lstat(folder.c_str(), &facts) != 0 ||
        !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || is_owned(folder))
      continue;
    OldRecording old;
    old.folder = folder;
    old.command = text_of(entry.path() / RecordingSpool::kCommandFile);
    old.began = facts.st_mtime;
    bool has_events = false;
    for (const auto& part : fs::directory_iterator(entry.path(), error)) {
      if (!part.path().filename().string().starts_with("part-")) continue;
      old.parts.push_back(part.path().string());
      const std::uint64_t size = part.file_size(error);
      old.bytes += size;
      has_events = has_events || size > 256;  // more than a header
    }
    std::ranges::sort(old.parts);
    struct stat command {};
    if (stat((folder + "/" + RecordingSpool::kCommandFile).c_str(), &command) == 0) old.began = command.st_mtime;
    const std::string saved = text_of(entry.path() / RecordingSpool::kSavedFile);
    const bool is_young = std::time(nullptr) - facts.st_mtime < kYoungS;
    if ((!saved.empty() && fs::exists(saved, error)) || (!has_events && !is_young)) {
      fs::remove_all(entry.path(), error);
    } else if (has_events) {
      found.push_back(std::move(old));
    }
  }
  std::ranges::sort(found, std::ranges::greater{}, &OldRecording::began);
  return found;
}

Result<void> delete_old_recording(const OldRecording& recording) {
  if (!recording.name().starts_with(kPrefix)) return fail(ErrorCode::kInvalidArgument, "not a recording", recording.folder);
  if (is_owned(recording.folder)) return fail(ErrorCode::kNotWritable, "this recording is under way", recording.folder);
  std::error_code error;
  fs::remove_all(recording.folder, error);
  if (error) return fail(ErrorCode::kNotWritable, error.message(), recording.folder);
  return {};
}

Result<void> save_old_recording(const OldRecording& recording, const std::string& path) {
  Result<OutputFile> created = OutputFile::create(path);
  if (!created) return tl::make_unexpected(created.error());
  OutputFile out = std::move(*created);
  bool is_first = true;
  for (const std::string& part : recording.parts) {
    std::ifstream file(part, std::ios::binary);
    std::string head(4096, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    file.clear();
    const std::size_t list = head.find(kEvents);
    if (list == std::string::npos || list + kEvents.size() >= head.size()) continue;  // nothing in it
    if (is_first) {
      out.write(std::string_view(head).substr(0, list + kEvents.size()));
    } else {
      out.write(",\n");
    }
    is_first = false;
    file.seekg(static_cast<std::streamoff>(list + kEvents.size()));
    // What follows the last whole line was cut off. A line that ends without a comma is the last one.
    std::string line;
    bool is_first_line = true;
    while (std::getline(file, line)) {
      const bool has_comma = line.ends_with(',');
      if (has_comma) line.pop_back();
      if (!line.ends_with('}')) break;
      if (!is_first_line) out.write(",\n");
      is_first_line = false;
      out.write(line);
    }
    if (!out.ok()) break;
  }
  if (is_first) return fail(ErrorCode::kEmpty, "there are no events in it", recording.folder);
  out.write("\n],\n\"lacuna\": {\"recovered\": true}\n}\n");
  return out.finish();
}

}  // namespace lacuna
