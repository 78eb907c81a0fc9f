#include "capture/remote/live_relay.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/remote/checksum.h"
#include "capture/remote/fields.h"
#include "capture/share/share_places.h"
#include "capture/wire/clock.h"
#include "model/base/cancel.h"
#include "model/base/guarded.h"
#include "model/base/os/files.h"
#include "model/base/os/user_folders.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr std::size_t kProofBytes = 4096;
constexpr std::uint64_t kPingEveryNs = 1'000'000'000;
constexpr std::uint64_t kTellEveryNs = 200'000'000;
constexpr int kLastTries = 200;  // of 10 ms each
constexpr int kFirstPauseMs = 500;
constexpr int kMostPauseMs = 5000;
constexpr int kOpenPatienceS = 60;
constexpr int kLookAtCancelMs = 100;
constexpr std::size_t kMostLine = 4000;
constexpr std::uint64_t kLookAtDiskEvery = std::uint64_t{16} << 20;
constexpr std::uint64_t kLeaveFree = std::uint64_t{256} << 20;

/// A file that has no name any more.
}  // namespace

Result<std::unique_ptr<LiveRelay>> LiveRelay::start(const LiveRelayPlan& plan, const RemotePatience& patience,
                                                    const std::atomic<bool>* cancel) {
  std::unique_ptr<LiveRelay> relay(new LiveRelay(plan, patience));
  if (Result<void> begun = relay->begin(cancel); !begun) return tl::make_unexpected(begun.error());
  relay->thread_ = start_thread([raw = relay.get()] {
    const auto tell = [raw](std::string_view what) {
      if (!raw->share_) return raw->opened(fail(ErrorCode::kLimit, std::string(what), raw->plan_.place.name()));
      raw->share_->say(fmt::format("Nothing more is fetched: {}. The recording itself goes on there.", what));
    };
    if (!run_guarded([raw] { raw->run(); }, tell)) raw->share_.reset();  // which ends the window that watches
    raw->has_ended_ = true;
    raw->has_opened_.notify_all();
  });
  if (!relay->thread_.joinable()) return fail(ErrorCode::kLimit, std::string(kNoMoreThreads), plan.place.name());
  std::unique_lock lock(relay->mutex_);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kOpenPatienceS);
  bool is_open = false;
  while (!is_open && std::chrono::steady_clock::now() < until) {
    is_open = relay->has_opened_.wait_for(lock, std::chrono::milliseconds(kLookAtCancelMs),
                                          [&] { return relay->opened_.has_value() || relay->has_ended_; });
    if (is_cancelled(cancel))
      return fail(ErrorCode::kCancelled, plan.words.empty() ? "cancelled" : "cancelled; the recording goes on there",
                  plan.place.name());
  }
  if (!relay->opened_) return fail(ErrorCode::kNotReadable, "the remote recording does not begin", plan.place.name());
  if (!*relay->opened_) return tl::make_unexpected(relay->opened_->error());
  lock.unlock();
  return relay;
}

LiveRelay::~LiveRelay() {
  if (plan_.process > 0 && thread_.joinable()) {
    wants_stop_ = true;  // it sleeps again; what the line does not tell in time, --unwatched finds out there
    for (int i = 0; i < kLastTries && !is_over_ && !has_ended_; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  is_stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Result<void> LiveRelay::begin(const std::atomic<bool>* cancel) {
  Result<std::unique_ptr<FarSide>> far = FarSide::connect(plan_.place, cancel, patience_);
  if (!far) return tl::make_unexpected(far.error());
  far_ = std::move(*far);
  name_ = plan_.name;
  if (plan_.words.empty() && plan_.process == 0) return {};
  FieldWriter request;
  if (plan_.process > 0) {
    request.number(static_cast<std::uint64_t>(plan_.process));
  } else {
    put(request, plan_.words);
  }
  const FarSide::Hears hears{[](const Frame& frame) -> Result<void> {
                               if (frame.kind == FrameKind::kBeat) return {};
                               return fail(ErrorCode::kUnsupported, "received an answer without a request");
                             },
                             {}};
  const Result<std::string> started =
      far_->ask(plan_.process > 0 ? RemoteVerb::kLookAt : RemoteVerb::kStart, request.take(), hears, cancel);
  if (!started) return tl::make_unexpected(started.error());
  FieldReader fields(*started);
  name_ = fields.text();
  log_ = fields.text();
  if (!fields.ok() || name_.empty())
    return fail(ErrorCode::kUnsupported, "the data of the recording is malformed", plan_.place.name());
  return {};
}

void LiveRelay::opened(Result<void> result) {
  const std::lock_guard lock(mutex_);
  if (!opened_) opened_ = std::move(result);
  has_opened_.notify_all();
}

Nanos LiveRelay::now_there() const {
  const Nanos here = static_cast<Nanos>(wire::monotonic_ns());
  return saturating_add(saturating_add(here, clock_difference_), description_ ? description_->clock_offset : 0);
}

void LiveRelay::tell() {
  if (!share_) return;
  share_->serve();
  ShareState state = state_;
  state.readable = std::min<std::uint64_t>(state.readable, bytes_here_);
  state.is_cut = is_cut_;
  if (is_cut_) running_.clear();  // whether they still run is not known
  state.late = std::max<Nanos>(0, saturating_sub(now_there(), state.now));
  sent_ns_ = wire::monotonic_ns();
  share_->send(state, running_);
}

void LiveRelay::tick() {
  if (!share_) return;
  share_->serve();
  const std::uint64_t now = wire::monotonic_ns();
  if ((share_->take_stop() || wants_stop_.exchange(false)) && far_) (void)far_->send(FrameKind::kStop, {});
  if (now - sent_ns_ > kTellEveryNs) tell();
}

void LiveRelay::take_beat(const Frame& frame) {
  FieldReader fields(frame.payload);
  const std::uint64_t sent = fields.number();
  const std::uint64_t there = fields.number();
  const std::uint64_t now = wire::monotonic_ns();
  if (!fields.ok() || sent == 0 || sent > now || there > (1ull << 62)) return;
  const std::uint64_t trip = now - sent;
  if (trip < best_trip_) {
    best_trip_ = trip;
    clock_difference_ = static_cast<std::int64_t>(there + trip / 2) - static_cast<std::int64_t>(now);
  }
}

Result<void> LiveRelay::open_share() {
  const std::string folder = user_cache_folder() + "/lacuna";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::string path = folder + "/relayed-";
  spool_ = create_temporary(path);
  if (!spool_.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  Descriptor readable = open_for_reading(path);
  (void)remove_file(path);
  if (!readable.is_open()) return fail(ErrorCode::kNotReadable, std::strerror(errno), path);
  static std::atomic<int> count{0};
  const Result<std::string> socket = share_path(fmt::format("remote-{}-{}", getpid(), ++count));
  if (!socket) return tl::make_unexpected(socket.error());
  ShareDescription description = *description_;
  description.place = plan_.place.name();
  description.may_stop = !plan_.words.empty() || plan_.process > 0 || name_.find("there-") != std::string::npos;
  description.clock_offset = saturating_add(description.clock_offset, clock_difference_);
  auto share = ShareServer::open(*socket, std::move(description), readable.release());
  if (!share) return tl::make_unexpected(share.error());
  share_ = std::move(*share);
  socket_ = *socket;
  output_ = description_->output;
  return {};
}

Result<void> LiveRelay::take_description(const Frame& frame) {
  FieldReader fields(frame.payload);
  const std::uint64_t kind = fields.number();
  const std::string message = fields.text();
  const std::string path = fields.text();
  if (!fields.ok() || kind < 1 || kind > 2)
    return fail(ErrorCode::kUnsupported, "the data of the recording is malformed");
  if (kind == 2) return {};  // it has ended: the rest of it comes
  auto description = decode_description(message);
  if (!description) return fail(ErrorCode::kUnsupported, "not a recording of this version of Lacuna");
  if (description_ && description->base_time_ns != description_->base_time_ns)
    return fail(ErrorCode::kUnsupported, "this is another recording");
  if (!description_) description_ = std::move(description);
  if (name_.empty()) name_ = path;
  return {};
}

Result<void> LiveRelay::take_data(const Frame& frame) {
  if (!unpacker_->unpack(frame.payload, bytes_) || !description_)
    return fail(ErrorCode::kUnsupported, "the data of the recording is malformed");
  if (proof_.size() < kProofBytes) proof_.append(bytes_, 0, kProofBytes - proof_.size());
  if (bytes_here_ / kLookAtDiskEvery != (bytes_here_ + bytes_.size()) / kLookAtDiskEvery &&
      free_on_disk(spool_.get()).value_or(kLeaveFree) < kLeaveFree)
    state_.copy_failed = true;
  if (!state_.copy_failed) state_.copy_failed = !write_at(spool_.get(), bytes_here_, bytes_);
  if (!state_.copy_failed) bytes_here_ += bytes_.size();
  return {};
}

Result<void> LiveRelay::take_state(const Frame& frame) {
  if (!unpacker_->unpack(frame.payload, bytes_))
    return fail(ErrorCode::kUnsupported, "the data of the recording is malformed");
  running_.clear();
  auto state = decode_state(bytes_, running_);
  if (!state) return fail(ErrorCode::kUnsupported, "the data of the recording is malformed");
  state->copy_failed = state->copy_failed || state_.copy_failed;
  state_ = *state;
  state_.is_last = false;  // until all of it is here
  if (!state->is_last) tell();
  return {};
}

Result<void> LiveRelay::take(const Frame& frame) {
  const std::uint64_t now = wire::monotonic_ns();
  if (now - pinged_ > kPingEveryNs) {
    pinged_ = now;
    (void)far_->send(FrameKind::kBeat, FieldWriter().number(now).bytes());
  }
  Result<void> taken;
  switch (frame.kind) {
    case FrameKind::kBeat:
      take_beat(frame);
      break;
    case FrameKind::kAnswer:
      taken = take_description(frame);
      break;
    case FrameKind::kText:
      if (share_) share_->say(frame.payload.substr(0, kMostLine));
      break;
    case FrameKind::kOut: {  // of the program
      FieldReader fields(frame.payload);
      log_at_ = std::max(log_at_, fields.number());
      if (share_) share_->say(fields.text().substr(0, kMostLine));
      break;
    }
    case FrameKind::kData:
    case FrameKind::kState:
      // The clocks are compared by now: the ping went out with the request, and is answered before what follows.
      if (!description_) {
        taken = fail(ErrorCode::kUnsupported, "the data of the recording is malformed");
      } else if (!share_) {
        taken = open_share();
        if (taken) opened({});
      }
      if (taken) taken = frame.kind == FrameKind::kData ? take_data(frame) : take_state(frame);
      break;
    default:
      taken = fail(ErrorCode::kUnsupported, "received an answer without a request");
  }
  return taken;
}

Result<std::string> LiveRelay::watch() {
  unpacker_ = std::make_unique<PackedReader>();
  best_trip_ = share_ ? best_trip_ : ~0ull;
  pinged_ = wire::monotonic_ns();
  if (!far_->send(FrameKind::kBeat, FieldWriter().number(pinged_).bytes())) {
    far_.reset();
    return fail(ErrorCode::kNotReadable, "the line broke", plan_.place.name());
  }
  FieldWriter request;
  request.text(name_).text(log_).number(log_at_).text(description_ ? description_->output : std::string());
  request.number(bytes_here_).number(proof_.size()).number(Checksum::of(proof_));
  return far_->ask(RemoteVerb::kWatch, request.take(),
                   {[this](const Frame& frame) { return take(frame); }, [this] { tick(); }}, &is_stopping_);
}

/// Waits, and serves who watches meanwhile. False: it is to stop.
bool LiveRelay::rest(int ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < until && !is_stopping_) {
    tick();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return !is_stopping_;
}

void LiveRelay::run() {
  int pause_ms = kFirstPauseMs;
  bool is_whole = false;
  std::optional<Error> why;
  while (!is_stopping_) {
    const std::uint64_t before = bytes_here_;
    const Result<std::string> done = watch();
    if (done) {
      is_whole = FieldReader(*done).number() != 0;
      break;
    }
    why = done.error();
    if (!share_ || is_stopping_) break;
    // Another window may still hold it: the far side of the line that broke.
    const bool may_try = far_ == nullptr || far_->is_line_lost() || done.error().code == ErrorCode::kLimit;
    if (!may_try) break;
    if (bytes_here_ > before) pause_ms = kFirstPauseMs;
    if (!std::exchange(is_cut_, true)) share_->say(fmt::format("{}; trying again", why->message()));
    far_.reset();
    while (!far_ && rest(pause_ms)) {
      pause_ms = std::min(pause_ms * 2, kMostPauseMs);
      Result<std::unique_ptr<FarSide>> again = FarSide::connect(plan_.place, &is_stopping_, patience_);
      if (again) far_ = std::move(*again);
    }
    if (!far_) break;
    is_cut_ = false;
  }
  if (!share_) {
    opened(tl::make_unexpected(
        why.value_or(Error{ErrorCode::kNotReadable, "the recording has ended already", plan_.place.name(), {}})));
    return;
  }
  if (is_whole) {
    state_.readable = bytes_here_;
    state_.is_last = true;
    is_over_ = true;
    while (!wants_stop_ && plan_.process == 0 && !share_->has_viewer() && rest(20))
      continue;  // a window may still be on its way
    share_->finish(state_, kLastTries);
  } else if (!is_stopping_) {
    share_->say(why ? why->message() : std::string("The remote recording has ended without an end message."));
    is_over_ = !why;
  }
  share_.reset();
  has_ended_ = true;
}

}  // namespace lacuna
