#include "model/formats/chrome/list_reader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace lacuna {
namespace {

// Its text, its tokens (about as much again) and what is made of them stay in a core's own cache, beside other
// programs.
constexpr std::size_t kWindowBytes = 128 * 1024;
constexpr std::uint64_t kSmallestStripe = 256 * 1024;
constexpr std::uint64_t kStripesAhead = 32;

/// The source as seen by a reader that may have to stop: it then seems to end.
class StoppableSource final : public ByteSource {
 public:
  StoppableSource(const ByteSource& source, std::function<bool()> should_stop)
      : source_(source), should_stop_(std::move(should_stop)) {}
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    return should_stop_() ? 0 : source_.read_at(offset, out);
  }
  std::uint64_t size() const override { return source_.size(); }

 private:
  const ByteSource& source_;
  std::function<bool()> should_stop_;
};

/// What a worker made of one stripe.
struct Stripe {
  std::optional<std::uint64_t> start;  // where it guessed the first event; none: no event begins here
  EventReader::Outcome outcome;
  EventBatch batch;
};

class ListReader {
 public:
  ListReader(ImportBytes& bytes, std::uint64_t from, const ImportOptions& options, ImportProgress* progress,
             const BatchReceiver& sink)
      : bytes_(bytes),
        from_(from),
        progress_(progress),
        sink_(sink),
        tolerant_only_(options.tolerant_only),
        skipped_(options.skip_categories),
        raw_(options.raw_events),
        times_in_ns_(options.times_in_ns),
        position_(from) {
    threads_ = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    stripe_bytes_ = std::max<std::uint64_t>(options.chunk_bytes, 1);
    const auto size = bytes.known_size();
    // Small files in smaller stripes, so that every thread gets a share.
    if (size) {
      const std::uint64_t share = (*size - std::min(*size, from)) / (std::uint64_t{8} * threads_);
      stripe_bytes_ = std::min(stripe_bytes_, std::max(share, kSmallestStripe));
    }
    window_bytes_ = static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, stripe_bytes_));
    if (size && *size - std::min(*size, from) <= stripe_bytes_) threads_ = 1;
    counts_file_bytes_ = size.has_value();
  }

  Result<EventReader::Outcome> read() {
    std::vector<std::jthread> workers;
    const StopWorkers stop_at_exit{*this};
    if (threads_ > 1) try {
        for (unsigned i = 0; i < threads_; ++i) workers.emplace_back([this] { work(); });
      } catch (const std::exception&) {  // fewer do the work as well
        if (workers.empty()) threads_ = 1;
      }
    StoppableSource source(bytes_, [this] { return is_cancelled(); });
    EventReader own(source, window_bytes_, tolerant_only_, skipped_, raw_, times_in_ns_);
    bool is_over = false;
    for (std::uint64_t index = 0; !is_over; ++index) {
      if (threads_ == 1) {
        is_over = read_up_to(own, limit(index));
      } else {
        auto stripe = wait_for(index);
        if (!stripe) break;
        is_over = accept(std::move(*stripe), limit(index), own);
      }
      if (is_cancelled()) break;
    }
    if (is_cancelled() || failure_) bytes_.abandon();  // wakes workers that wait for data
    if (is_cancelled()) return fail(ErrorCode::kCancelled, "cancelled");
    if (failure_) std::rethrow_exception(failure_);
    return outcome_;
  }

 private:
  struct StopWorkers {
    ListReader& reader;
    ~StopWorkers() { reader.stop(); }
  };

  std::uint64_t limit(std::uint64_t index) const { return from_ + (index + 1) * stripe_bytes_; }
  bool is_cancelled() const { return progress_ != nullptr && progress_->cancel.load(std::memory_order_relaxed); }

  // --- the calling thread

  /// Hands on a batch that covers the list from the current position on. True when the list is over.
  bool deliver(EventReader::Outcome outcome, EventBatch batch) {
    const std::uint64_t events = batch.event_count();
    if (is_cancelled()) return true;
    sink_(std::move(batch));
    if (progress_ != nullptr) {
      progress_->events += events;
      if (counts_file_bytes_) progress_->bytes_done += outcome.position - position_.load();
    }
    position_ = outcome.position;
    outcome_ = outcome;
    return outcome.end != EventReader::End::kLimit;
  }

  bool read_up_to(EventReader& reader, std::uint64_t limit) {
    if (position_ >= limit) return false;
    EventBatch batch;
    batch.use(spares_);
    const EventReader::Outcome outcome = reader.read(position_, limit, batch);
    batch.seal();
    return deliver(outcome, std::move(batch));
  }

  bool accept(Stripe stripe, std::uint64_t limit, EventReader& own) {
    while (position_ < limit) {
      if (stripe.start && *stripe.start == position_) return deliver(stripe.outcome, std::move(stripe.batch));
      const bool is_ahead = stripe.start && *stripe.start > position_;
      if (read_up_to(own, is_ahead ? *stripe.start : limit)) return true;
    }
    return false;
  }

  std::optional<Stripe> wait_for(std::uint64_t index) {
    std::unique_lock lock(mutex_);
    wanted_ = index;
    changed_.notify_all();
    while (true) {
      if (failure_ || is_cancelled()) return {};
      if (const auto found = stripes_.find(index); found != stripes_.end()) {
        Stripe stripe = std::move(found->second);
        stripes_.erase(found);
        return stripe;
      }
      changed_.wait_for(lock, std::chrono::milliseconds(20));  // cancelling does not notify
    }
  }

  void stop() {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }

  // --- the workers

  void work() {
    try {
      std::uint64_t start = 0;  // of the stripe in work
      StoppableSource source(bytes_, [&] {
        // A stripe that begins before the true position, and was not taken, was guessed wrong.
        return is_stopping_.load(std::memory_order_relaxed) || is_cancelled() ||
               start < position_.load(std::memory_order_relaxed);
      });
      EventReader reader(source, window_bytes_, tolerant_only_, skipped_, raw_, times_in_ns_);
      EventBatch::Spares spares;
      while (const auto index = next_index()) {
        Stripe stripe;
        const std::uint64_t begin = from_ + *index * stripe_bytes_;
        start = begin + stripe_bytes_;  // guessing is never in vain
        stripe.start = *index == 0 ? from_ : reader.guess_start(begin, limit(*index), begin - from_);
        if (stripe.start) {
          start = *stripe.start;
          stripe.batch.use(spares);
          stripe.outcome = reader.read(start, limit(*index), stripe.batch);
          stripe.batch.seal();
        }
        const std::scoped_lock lock(mutex_);
        stripes_.emplace(*index, std::move(stripe));
        changed_.notify_all();
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  std::optional<std::uint64_t> next_index() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopping_ || next_ < wanted_ + kStripesAhead; });
    if (is_stopping_) return {};
    return next_++;
  }

  ImportBytes& bytes_;
  const std::uint64_t from_;
  ImportProgress* const progress_;
  const BatchReceiver& sink_;
  const bool tolerant_only_;
  const std::span<const std::string> skipped_;  // of the caller's options
  const bool raw_;
  const bool times_in_ns_;
  unsigned threads_ = 1;
  std::uint64_t stripe_bytes_ = 0;
  std::size_t window_bytes_ = 0;
  bool counts_file_bytes_ = false;
  EventReader::Outcome outcome_;
  EventBatch::Spares spares_;  // of the calling thread

  std::atomic<std::uint64_t> position_;  // the list is handed on up to here
  std::atomic<bool> is_stopping_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Stripe> stripes_;  // done, not yet taken
  std::uint64_t next_ = 0;                   // first stripe that no worker has taken
  std::uint64_t wanted_ = 0;                 // stripe that the calling thread waits for
  std::exception_ptr failure_;
};

}  // namespace

Result<EventReader::Outcome> read_list(ImportBytes& bytes, std::uint64_t from, const ImportOptions& options,
                                       ImportProgress* progress, const BatchReceiver& sink) {
  return ListReader(bytes, from, options, progress, sink).read();
}

}  // namespace lacuna
