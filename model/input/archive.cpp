#include "model/input/archive.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <isa-l/crc.h>

#include "model/base/os/files.h"
#include "model/input/archive_lists.h"
#include "model/input/memory_room.h"
#include "model/input/open_stream.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

constexpr int kMostNested = 3;  // archives in archives

bool is_regular_file(const std::string& path) {
  const auto facts = facts_at(path);
  return facts && facts->is_regular();
}

/// A part of an archive's bytes, where they are.
class PartOfBytes final : public ImportBytes {
 public:
  PartOfBytes(std::shared_ptr<ImportBytes> whole, std::uint64_t begin, std::uint64_t size)
      : whole_(std::move(whole)), begin_(begin), claimed_(size), size_(there(*whole_, begin, size)) {}

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    if (offset >= size_ || is_abandoned_.load(std::memory_order_relaxed)) return 0;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
    return whole_->read_at(begin_ + offset, out.first(count));
  }
  std::uint64_t size() const override { return size_; }
  std::optional<std::uint64_t> known_size() const override { return size_; }
  bool has_changed() const override { return whole_->has_changed(); }
  /// Its share of what all files of the archive hold together.
  std::size_t memory_bytes() const override {
    const double share = static_cast<double>(size_) / static_cast<double>(std::max<std::uint64_t>(1, whole_->size()));
    return static_cast<std::size_t>(static_cast<double>(whole_->memory_bytes()) * share);
  }
  Ending ending() const override {
    Ending ending;
    ending.error = whole_->ending().error;
    ending.is_truncated = size_ < claimed_;
    ending.truncated_at = size_;
    return ending;
  }
  void abandon() override { is_abandoned_ = true; }

 private:
  static std::uint64_t there(const ImportBytes& whole, std::uint64_t begin, std::uint64_t size) {
    (void)whole.ending();  // an archive was listed to its end
    return std::min(size, whole.size() - std::min(begin, whole.size()));
  }

  const std::shared_ptr<ImportBytes> whole_;
  const std::uint64_t begin_, claimed_, size_;
  std::atomic<bool> is_abandoned_{false};
};

/// The same as a stream.
class PartStream final : public Stream {
 public:
  explicit PartStream(std::shared_ptr<const PartOfBytes> part) : part_(std::move(part)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t got = part_->read_at(at_, out);
    at_ += got;
    return got;
  }
  bool is_truncated() const override { return part_->ending().is_truncated; }

 private:
  const std::shared_ptr<const PartOfBytes> part_;
  std::uint64_t at_ = 0;
};

/// Lets no more through than the archive says, and holds size and checksum against what it says.
class CheckedStream final : public Stream {
 public:
  CheckedStream(std::unique_ptr<Stream> inner, std::uint64_t size, std::optional<std::uint32_t> checksum)
      : inner_(std::move(inner)), left_(size), checksum_(checksum) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t got =
        inner_->read(out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_))));
    sum_ = ::crc32_gzip_refl(sum_, reinterpret_cast<const unsigned char*>(out.data()), got);
    left_ -= got;
    is_over_ |= got == 0 && !out.empty();
    return got;
  }
  bool is_truncated() const override {
    return inner_->is_truncated() || left_ > 0 || (is_over_ && checksum_ && *checksum_ != sum_);
  }
  std::string error() const override { return inner_->error(); }

 private:
  const std::unique_ptr<Stream> inner_;
  std::uint64_t left_;
  const std::optional<std::uint32_t> checksum_;
  std::uint32_t sum_ = 0;
  bool is_over_ = false;
};

/// Archives that somebody holds, by their paths.
class HeldArchives {
 public:
  static HeldArchives& get() {
    static HeldArchives held;
    return held;
  }
  std::shared_ptr<const OpenedArchive> find(const std::string& path, const FileFacts& file) {
    const std::scoped_lock lock(mutex_);
    const auto found = held_.find(path);
    if (found == held_.end() || !is_same(found->second.file, file)) return nullptr;
    return found->second.archive.lock();
  }
  void keep(const std::string& path, const FileFacts& file, const std::shared_ptr<const OpenedArchive>& archive) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(held_, [](const auto& entry) { return entry.second.archive.expired(); });
    held_[path] = {file, archive};
  }

 private:
  struct Held {
    FileFacts file;
    std::weak_ptr<const OpenedArchive> archive;
  };
  static bool is_same(const FileFacts& a, const FileFacts& b) {
    return a.is_same_file(b) && a.bytes == b.bytes && a.modified_ns == b.modified_ns;
  }
  std::mutex mutex_;
  std::map<std::string, Held> held_;
};

tl::unexpected<Error> named(Error error, const std::string& path) {
  error.file = path;
  return tl::make_unexpected(std::move(error));
}

std::string names_of(const OpenedArchive& archive) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(archive.members().size(), 3); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", archive.members()[i].name);
  return text + (archive.members().size() > 3 ? " …" : "");
}

}  // namespace

std::string clean_member_name(std::string_view name) {
  std::string clean;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." || std::ranges::any_of(part, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
      return {};
    (clean += clean.empty() ? "" : "/") += part;
  }
  return clean;
}

OpenedArchive::OpenedArchive(std::shared_ptr<ImportBytes> bytes, std::string_view title,
                             std::vector<ArchiveMember> members)
    : bytes_(std::move(bytes)), title_(title), members_(std::move(members)) {
  std::ranges::reverse(members_);  // of several with one name the last is first now
  std::stable_sort(members_.begin(), members_.end(),
                   [](const ArchiveMember& a, const ArchiveMember& b) { return a.name < b.name; });
  const auto same = [](const ArchiveMember& a, const ArchiveMember& b) { return a.name == b.name; };
  members_.erase(std::unique(members_.begin(), members_.end(), same), members_.end());
}

const ArchiveMember* OpenedArchive::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(members_, name, {}, &ArchiveMember::name);
  return found == members_.end() || found->name != name ? nullptr : &*found;
}

Result<std::shared_ptr<const OpenedArchive>> OpenedArchive::open(const std::string& path, std::uint64_t most_bytes,
                                                                 ImportProgress* progress) {
  const auto facts = facts_at(file_on_disk(path));
  if (!facts || !facts->is_regular() || facts->bytes == 0) return nullptr;
  if (auto held = HeldArchives::get().find(path, *facts)) return held;
  auto file = open_file(path, most_bytes, nullptr);
  if (!file) return tl::make_unexpected(file.error());
  std::array<char, kTarBlock> buffer;
  const std::string_view head(buffer.data(), file->bytes->read_at(0, buffer));
  const bool is_zip = is_zip_head(head);
  if (!is_zip && !is_tar_head(head)) return nullptr;
  auto members = is_zip ? list_zip(*file->bytes, progress) : list_tar(*file->bytes, progress);
  if (!members) return named(members.error(), path);
  auto archive = std::make_shared<const OpenedArchive>(file->bytes, is_zip ? "zip" : "tar", std::move(*members));
  HeldArchives::get().keep(path, *facts, archive);
  return archive;
}

Result<OpenedFile> OpenedArchive::open_member(const ArchiveMember& member, std::uint64_t most_bytes,
                                              const ImportProgress* progress) const {
  if (!member.obstacle.empty()) return fail(ErrorCode::kUnsupported, member.obstacle);
  if (member.size > most_bytes)
    return fail(ErrorCode::kLimit, fmt::format("it has {} in the archive; the limit is {}; --max-bytes raises it",
                                               describe_bytes(member.size), describe_bytes(most_bytes)));
  if (member.size == 0) return fail(ErrorCode::kEmpty, "the file is empty");
  const auto part = std::make_shared<PartOfBytes>(bytes_, member.begin, member.stored);
  std::array<char, 4> head{};
  const std::size_t got = part->read_at(0, head);
  const bool is_plain = member.storage == ArchiveMember::Storage::kPlain;
  OpenedFile opened;
  if (is_plain && detect_compression({head.data(), got}) == Compression::kNone) {
    opened.bytes = part;
  } else {
    std::unique_ptr<Stream> stream = std::make_unique<PartStream>(part);
    if (member.storage == ArchiveMember::Storage::kDeflate) stream = make_deflate_stream(std::move(stream));
    if (member.storage == ArchiveMember::Storage::kZstd) stream = make_zstd_stream(std::move(stream));
    if (!is_plain) stream = std::make_unique<CheckedStream>(std::move(stream), member.size, member.checksum);
    opened = open_stream(std::move(stream), most_bytes, progress);
  }
  opened.file_bytes = member.stored;
  opened.containers = fmt::format(", {}{}", title_, opened.containers);
  return opened;
}

std::string file_on_disk(const std::string& path) {
  if (facts_at(path) || errno != ENOTDIR) return path;
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1))
    if (std::string file = path.substr(0, slash); is_regular_file(file)) return file;
  return path;
}

Result<OpenedFile> open_in_archive(const std::string& path, std::uint64_t most_bytes, ImportProgress* progress) {
  std::string inside = file_on_disk(path);
  if (inside == path) return fail(ErrorCode::kNotFound, "no such file", path);
  for (int depth = 0; depth < kMostNested; ++depth) {
    const auto archive = OpenedArchive::open(inside, most_bytes, progress);
    if (!archive) return tl::make_unexpected(archive.error());
    if (*archive == nullptr) return fail(ErrorCode::kNotFound, "no such file: " + inside + " is not an archive", path);
    const std::string_view rest = std::string_view(path).substr(inside.size() + 1);
    if (const ArchiveMember* member = (*archive)->find(rest)) {
      auto opened = (*archive)->open_member(*member, most_bytes, progress);
      if (!opened) return named(opened.error(), path);
      return opened;
    }
    // An archive in the archive: the part of the path that names a file of it.
    std::size_t slash = rest.find('/');
    while (slash != rest.npos && (*archive)->find(rest.substr(0, slash)) == nullptr) slash = rest.find('/', slash + 1);
    if (slash == rest.npos)
      return fail(ErrorCode::kNotFound, fmt::format("the archive has no such file; it holds {}", names_of(**archive)),
                  path);
    inside = path.substr(0, inside.size() + 1 + slash);
  }
  return fail(ErrorCode::kLimit, fmt::format("archives are nested more than {} deep", kMostNested), path);
}

}  // namespace lacuna
