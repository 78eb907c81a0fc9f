#include "model/input/gzip_members.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "model/base/guarded.h"
#include "model/base/page_memory.h"

namespace lacuna {
namespace {

constexpr std::size_t kLargestMember = std::size_t{64} << 20;
constexpr std::size_t kMostHeld = std::size_t{64} << 20;  // decompressed ahead, all members together
constexpr std::size_t kScanBytes = 256 * 1024;
constexpr std::size_t kStepBytes = 256 * 1024;
constexpr std::size_t kHeaderBytes = 10;

/// Deflate, and no flag that the format reserves.
bool looks_like_header(const char* p) {
  return p[0] == '\x1f' && p[1] == '\x8b' && p[2] == '\x08' && (static_cast<unsigned char>(p[3]) & 0xe0) == 0;
}

/// What a worker made of one guess.
struct Member {
  bool is_done = false;
  bool is_whole = false;
  std::uint64_t end = 0;  ///< in the file
  PageBlock text;
};

class GzipMembers final : public Stream {
 public:
  GzipMembers(std::shared_ptr<const ByteSource> file, ImportProgress* progress)
      : file_(std::move(file)), size_(file_->size()), progress_(progress) {
    const unsigned workers = std::clamp(std::thread::hardware_concurrency() / 2, 1u, 8u);
    for (unsigned i = 0; i < workers; ++i) workers_.emplace_back([this] { run_worker(); });
  }
  ~GzipMembers() override {
    {
      const std::scoped_lock lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    workers_.clear();  // before what they use
  }

  std::size_t read(std::span<char> out) override {
    while (true) {
      if (used_ < ready_.text.size()) return hand_out(out);
      if (serial_) {
        const std::size_t got = serial_->read(out);
        count_up_to(position_ + serial_->used_bytes());
        if (serial_->is_whole()) {
          position_ += serial_->used_bytes();
          serial_.reset();
        } else if (got == 0) {
          is_truncated_ = true;
          return 0;
        }
        if (got != 0) return got;
        continue;
      }
      if (!next_member()) return 0;
    }
  }
  bool is_truncated() const override { return is_truncated_; }
  std::uint64_t garbage_bytes() const override { return garbage_; }

 private:
  // --- the reading thread

  std::size_t hand_out(std::span<char> out) {
    const std::size_t count = std::min(out.size(), ready_.text.size() - used_);
    std::memcpy(out.data(), ready_.text.data() + used_, count);
    used_ += count;
    return count;
  }

  /// False at the end of the file, or of what is compressed in it.
  bool next_member() {
    if (position_ >= size_ || is_truncated_) return false;
    std::array<char, 4> head{};
    const std::size_t got = file_->read_at(position_, head);
    if (detect_compression({head.data(), got}) != Compression::kGzip) {
      garbage_ = size_ - position_;
      position_ = size_;
      return false;
    }
    if (auto member = take(position_)) {
      ready_ = std::move(*member);
      used_ = 0;
      position_ = ready_.end;
      count_up_to(position_);
    } else {
      serial_ = make_gzip_member(make_source_stream(*file_, position_));
    }
    return true;
  }

  /// The member that a worker decompressed from `begin`, if one did; drops what was guessed wrong.
  std::optional<Member> take(std::uint64_t begin) {
    std::unique_lock lock(mutex_);
    held_ -= ready_.text.size();
    ready_ = Member{};
    used_ = 0;
    while (!members_.empty() && members_.begin()->first < begin && members_.begin()->second.is_done)
      drop(members_.begin());
    scanned_ = std::max(scanned_, begin + 1);  // what nobody has begun yet is begun here
    std::optional<Member> result;
    if (const auto found = members_.find(begin); found != members_.end()) {
      changed_.wait(lock, [&] { return found->second.is_done; });
      if (found->second.is_whole) {
        result = std::move(found->second);
        members_.erase(found);
      } else {
        drop(found);
      }
    }
    changed_.notify_all();
    return result;
  }

  void drop(std::map<std::uint64_t, Member>::iterator member) {
    held_ -= member->second.text.size();
    members_.erase(member);
  }

  void count_up_to(std::uint64_t position) {
    if (progress_ != nullptr && position > counted_) progress_->bytes_done += position - counted_;
    counted_ = std::max(counted_, position);
  }

  // --- the workers

  /// A worker that finds no memory ends: what it claimed is left unwhole, and the reading thread reads that itself.
  void run_worker() {
    std::optional<std::uint64_t> claimed;
    if (run_guarded([&] { work(claimed); }, [](std::string_view) {})) return;
    const std::scoped_lock lock(mutex_);
    if (claimed)
      if (const auto found = members_.find(*claimed); found != members_.end()) found->second.is_done = true;
    changed_.notify_all();
  }

  void work(std::optional<std::uint64_t>& claimed) {
    std::vector<char> window(kScanBytes + kHeaderBytes);
    PageBlock room;  // touched as far as members are long, and used again
    while (const auto begin = claimed = next_guess(window)) {
      Member member;
      try {
        if (room.size() == 0) room = PageBlock(kLargestMember + kStepBytes);
        decompress(*begin, {reinterpret_cast<char*>(room.data()), room.size()}, member);
      } catch (const std::bad_alloc&) {
        member = Member{};  // the reading thread will say so, should it not have enough either
      }
      const std::scoped_lock lock(mutex_);
      held_ += member.text.size();
      member.is_done = true;
      members_[*begin] = std::move(member);
      changed_.notify_all();
    }
  }

  /// Claims the next place that looks like a header; none when there are no more. Looks for it with the
  /// lock held: that is a small part of the work that it gives.
  std::optional<std::uint64_t> next_guess(std::vector<char>& window) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_stopping_ || held_ < kMostHeld; });
      if (is_stopping_ || scanned_ + kHeaderBytes > size_) return {};
      const std::size_t got = file_->read_at(scanned_, window);
      if (got < kHeaderBytes) return {};
      const std::size_t most = std::min(kScanBytes, got - kHeaderBytes + 1);
      for (std::size_t at = 0; at < most; ++at) {
        const void* next = std::memchr(window.data() + at, 0x1f, most - at);
        if (next == nullptr) break;
        at = static_cast<std::size_t>(static_cast<const char*>(next) - window.data());
        if (!looks_like_header(window.data() + at)) continue;
        const std::uint64_t found = scanned_ + at;
        scanned_ = found + 1;
        members_[found];
        return found;
      }
      scanned_ += most;
    }
  }

  /// Leaves the member unwhole when it is damaged, too large, or no member at all.
  void decompress(std::uint64_t begin, std::span<char> room, Member& member) {
    const auto stream = make_gzip_member(make_source_stream(*file_, begin));
    std::size_t made = 0;
    for (std::size_t got = 1; got > 0 && made <= kLargestMember && !stream->is_whole() && !is_stopping_; made += got)
      got = stream->read(room.subspan(made, kStepBytes));
    member.is_whole = stream->is_whole();
    member.end = begin + stream->used_bytes();
    if (!member.is_whole || made == 0) return;
    member.text = PageBlock(made);
    std::memcpy(member.text.data(), room.data(), made);
  }

  const std::shared_ptr<const ByteSource> file_;
  const std::uint64_t size_;
  ImportProgress* const progress_;

  // The reading thread's.
  std::uint64_t position_ = 0;  // where a member begins
  std::uint64_t counted_ = 0;   // of the file, in progress
  Member ready_;                // handed out from used_ on
  std::size_t used_ = 0;
  std::unique_ptr<GzipMember> serial_;
  bool is_truncated_ = false;
  std::uint64_t garbage_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Member> members_;  // by where they begin: claimed, or done and not yet taken
  std::uint64_t scanned_ = 1;                // headers before are claimed, or not worth it
  std::size_t held_ = 0;                     // bytes of text in members_ and ready_
  std::atomic<bool> is_stopping_{false};
  std::vector<std::jthread> workers_;
};

}  // namespace

std::unique_ptr<Stream> make_gzip_members(std::shared_ptr<const ByteSource> file, ImportProgress* progress) {
  return std::make_unique<GzipMembers>(std::move(file), progress);
}

}  // namespace lacuna
