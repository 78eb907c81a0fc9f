// The far side's requests about files: a folder's list, what paths stand for, and a file's bytes.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <sys/stat.h>

#include "capture/remote/checksum.h"
#include "capture/remote/far_server.h"
#include "capture/remote/packed.h"
#include "model/base/file_bytes.h"
#include "model/base/natural_order.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/cache/file_proof.h"
#include "model/formats/file_names.h"
#include "model/import/trace_files.h"

namespace lacuna {
namespace {

constexpr std::size_t kAnswerBytes = std::size_t{64} << 10;
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kPacedBlockBytes = std::size_t{32} << 10;  // what is asked meanwhile waits for one
constexpr int kMayWaitMs = 100;
static_assert(kBlockBytes <= kMostUnpacked);

RemoteFile describe(const std::string& path, const FileProof& proof) {
  return {.path = path, .bytes = proof.bytes, .modified_ns = proof.modified_ns, .sample = proof.sample};
}

}  // namespace

FarServer::Outcome FarServer::list_folder(FieldReader& fields) {
  namespace fs = std::filesystem;
  const std::string asked = fields.text();
  if (!fields.ok()) return fail(ErrorCode::kInvalidArgument, "a malformed request");
  std::error_code failed;
  const fs::path folder = fs::weakly_canonical(path_there(asked), failed);
  if (failed) return fail(ErrorCode::kNotFound, failed.message(), asked);
  std::vector<RemoteEntry> entries;
  std::uint64_t left_out = 0;
  const std::vector<std::string> paths = folder_paths(folder, failed);
  if (failed) return fail(ErrorCode::kNotReadable, failed.message(), folder.string());
  for (const fs::path path : paths) {
    if (!pump(0)) return tl::make_unexpected(not_wanted());
    struct stat info {};
    const std::string name = path.filename().string();
    if (name.starts_with('.') || ::stat(path.c_str(), &info) != 0) continue;
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) continue;
    if (entries.size() >= kMostEntries) {
      ++left_out;
      continue;
    }
    const bool is_folder = S_ISDIR(info.st_mode);
    entries.push_back({.name = name,
                       .is_folder = is_folder,
                       .may_be_trace = is_folder || looks_like_trace(name),
                       .bytes = is_folder ? 0 : static_cast<std::uint64_t>(info.st_size),
                       .modified_s = info.st_mtim.tv_sec});
  }
  std::ranges::sort(entries, [](const RemoteEntry& a, const RemoteEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : natural_less(a.name, b.name);
  });
  FieldWriter answer;
  for (const RemoteEntry& entry : entries) {
    put(answer, entry);
    if (answer.bytes().size() < kAnswerBytes) continue;
    if (!send(FrameKind::kAnswer, answer.bytes())) return tl::make_unexpected(not_wanted());
    answer = {};
  }
  if (!answer.bytes().empty()) (void)send(FrameKind::kAnswer, answer.bytes());
  return FieldWriter().text(folder.string()).number(left_out).take();
}

FarServer::Outcome FarServer::find_files(FieldReader& fields) {
  std::vector<std::string> paths = get_words(fields);
  if (!fields.ok() || paths.empty()) return fail(ErrorCode::kInvalidArgument, "a malformed request");
  for (std::string& path : paths) path = path_there(path);
  const auto found = find_trace_files(paths, {.opens_archives = false});
  if (!found) return tl::make_unexpected(found.error());
  if (found->size() > kMostFiles) return fail(ErrorCode::kLimit, "too many files");
  for (const TraceFile& file : *found) {
    if (!pump(0)) return tl::make_unexpected(not_wanted());
    errno = 0;
    const auto proof = prove_file(file.path);
    if (!proof && file.was_found) continue;
    if (!proof) {
      const int cause = errno;
      return fail(cause == ENOENT ? ErrorCode::kNotFound : ErrorCode::kNotReadable,
                  cause != 0 ? std::strerror(cause) : "not a file", file.path);
    }
    FieldWriter answer;
    put(answer, describe(file.path, *proof));
    if (!send(FrameKind::kAnswer, answer.bytes())) return tl::make_unexpected(not_wanted());
  }
  return std::string();
}

FarServer::Outcome FarServer::fetch_file(FieldReader& fields) {
  const RemoteFile wanted = get_remote_file(fields);
  const std::uint64_t begin = fields.number();
  const bool is_paced = !fields.is_at_end();
  allowed_ = is_paced ? fields.number() : 0;
  if (!fields.ok() || !wanted.path.starts_with('/')) return fail(ErrorCode::kInvalidArgument, "a malformed request");
  const auto is_as_it_was = [&] {
    const auto proof = prove_file(wanted.path);
    return proof && describe(wanted.path, *proof) == wanted;
  };
  if (!is_as_it_was()) return fail(ErrorCode::kNotReadable, "the file is gone or has changed meanwhile", wanted.path);
  const FileBytes file(open_for_reading(wanted.path));
  if (!file.is_open()) return fail(ErrorCode::kNotReadable, std::strerror(errno), wanted.path);
  if (begin > wanted.bytes) return fail(ErrorCode::kInvalidArgument, "offset beyond the end", wanted.path);
  if (is_paced && !send(FrameKind::kAnswer, {})) return tl::make_unexpected(not_wanted());
  Checksum hash;
  PackedWriter packer;
  std::uint64_t sent = 0;
  std::string block(is_paced ? kPacedBlockBytes : kBlockBytes, '\0');
  for (std::uint64_t at = 0; at < wanted.bytes;) {
    const bool waits = is_paced && at >= begin && sent >= allowed_;
    if (!pump(waits ? kMayWaitMs : 0, waits && view_request_ != 0 ? seen_->wakes() : -1))
      return tl::make_unexpected(not_wanted());
    attend_views();
    if (is_paced && at >= begin && sent >= allowed_) continue;
    // Blocks never cross the place from which on bytes are wanted.
    const std::uint64_t end = at < begin ? begin : wanted.bytes;
    const std::size_t size = file.read_at(at, std::span(block).first(std::min<std::uint64_t>(block.size(), end - at)));
    if (size == 0) return fail(ErrorCode::kNotReadable, "the file became shorter while it was read", wanted.path);
    hash.add(std::string_view(block).substr(0, size));
    if (at >= begin) {
      const std::string packed = packer.pack(std::string_view(block).substr(0, size));
      sent += packed.size();
      if (!send(FrameKind::kData, packed)) return tl::make_unexpected(not_wanted());
    }
    at += size;
  }
  if (!is_as_it_was()) return fail(ErrorCode::kNotReadable, "the file changed while it was read", wanted.path);
  return FieldWriter().number(hash.value()).take();
}

}  // namespace lacuna
