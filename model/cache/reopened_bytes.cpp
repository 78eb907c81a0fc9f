#include "model/cache/reopened_bytes.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "model/formats/formats.h"

namespace lacuna {
namespace {

class ReopenedBytes final : public ByteSource {
 public:
  ReopenedBytes(std::string path, std::uint64_t json_bytes, std::uint64_t max_json_bytes, const FileProof& proof)
      : path_(std::move(path)), json_bytes_(json_bytes), max_json_bytes_(max_json_bytes), proof_(proof) {}

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    std::call_once(opened_, [this] { open(); });
    return bytes_ == nullptr ? 0 : bytes_->read_at(offset, out);
  }
  std::uint64_t size() const override { return json_bytes_; }
  bool has_changed() const override {
    const std::scoped_lock lock(mutex_);
    return bytes_ != nullptr ? bytes_->has_changed() : is_other_file_ || prove_file(path_) != proof_;
  }
  std::size_t memory_bytes() const override {
    const std::scoped_lock lock(mutex_);
    return bytes_ == nullptr ? 0 : bytes_->memory_bytes();
  }

 private:
  void open() const {
    auto opened = open_text(path_, max_json_bytes_);
    const bool is_same = prove_file(path_) == proof_;
    const std::scoped_lock lock(mutex_);
    is_other_file_ = !is_same;
    if (is_same && opened) bytes_ = std::move(*opened);
  }

  const std::string path_;
  const std::uint64_t json_bytes_;
  const std::uint64_t max_json_bytes_;
  const FileProof proof_;
  mutable std::once_flag opened_;
  mutable std::mutex mutex_;  // the others may ask while it is opened
  mutable bool is_other_file_ = false;
  mutable std::shared_ptr<const ByteSource> bytes_;
};

}  // namespace

std::shared_ptr<const ByteSource> reopen_bytes(std::string path, std::uint64_t json_bytes, std::uint64_t max_json_bytes,
                                               const FileProof& proof) {
  return std::make_shared<ReopenedBytes>(std::move(path), json_bytes, max_json_bytes, proof);
}

}  // namespace lacuna
