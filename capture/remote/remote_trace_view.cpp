#include "capture/remote/remote_trace_view.h"

#include <algorithm>
#include <new>
#include <utility>

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/remote/fields.h"
#include "capture/wire/clock.h"
#include "model/cache/trace_codec.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostWhyChars = 300;
/// While one picture comes over the line the next is asked for already, so that it is not idle in between; not more,
/// so that what is asked for next is the newest.
constexpr std::size_t kMostUnderWay = 2;

/// Nothing where these bytes are no stored trace.
std::optional<KeptTrace> read_stored(std::string_view bytes) {
  const int file = ::memfd_create("sight", MFD_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t written = ::pwrite(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (written <= 0) break;
    at += static_cast<std::size_t>(written);
  }
  std::optional<KeptTrace> kept;
  try {
    StoredFileReader in(file);
    if (at == bytes.size()) kept = TraceCodec::read(in, 1, [](const TraceSource&) { return nullptr; });
  } catch (const std::bad_alloc&) {
  }
  ::close(file);
  return kept;
}

}  // namespace

RemoteTraceView::RemoteTraceView(Take take, std::unique_ptr<LineNotice> notice)
    : take_(std::move(take)), notice_(std::move(notice)), wakes_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

RemoteTraceView::~RemoteTraceView() = default;

void RemoteTraceView::choose(std::vector<SeenFile> files) {
  files_ = std::move(files);
}

void RemoteTraceView::look(ThinView view, RemoteQuestions questions) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = Wish{std::move(view), std::move(questions)};
    wished_ns_ = wire::monotonic_ns();
  }
  const std::uint64_t one = 1;
  if (::write(wakes_.get(), &one, sizeof one) < 0) return;  // then a moment later
}

RemoteTraceView::State RemoteTraceView::state() const {
  const std::lock_guard lock(mutex_);
  State state = state_;
  state.is_asking = state.phase != Phase::kRefused && (state.is_asking || wish_);
  return state;
}

void RemoteTraceView::begin() {
  asked_.clear();
  head_.reset();
  is_read_there_ = false;
  is_first_ = true;
  tell_others();
  const std::lock_guard lock(mutex_);
  state_.is_asking = false;
  if (state_.phase == Phase::kReading) state_.phase = Phase::kAsking;
  // What was asked on the line before may not have come.
  if (!wish_ && last_) wish_ = last_;
}

void RemoteTraceView::refuse(const std::string& why) {
  asked_.clear();
  const std::lock_guard lock(mutex_);
  state_.phase = Phase::kRefused;
  state_.why = why.substr(0, kMostWhyChars);
  state_.is_asking = false;
}

void RemoteTraceView::step(FarSide& far) {
  std::uint64_t ignored = 0;
  (void)!::read(wakes_.get(), &ignored, sizeof ignored);
  if (files_.empty() || (asked_.size() >= kMostUnderWay && is_read_there_)) return;
  RemoteViewRequest wish;
  std::uint64_t wished_ns = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!wish_ || state_.phase == Phase::kRefused) return;
    last_ = std::exchange(wish_, std::nullopt);
    wished_ns = wished_ns_;
    state_.is_asking = true;
  }
  wish.view = last_->view;
  wish.questions = last_->questions;
  wish.format = remote_view_format();
  wish.is_first = is_first_;
  wish.files = files_;
  FieldWriter fields;
  put(fields, wish);
  const std::uint32_t request = far.ask_aside(RemoteVerb::kSee, fields.bytes());
  if (request == 0) return;  // the line is gone, or soon seen to be
  expect(request);
  asked_.back().wished_ns = wished_ns;
}

void RemoteTraceView::expect(std::uint32_t request) {
  if (std::exchange(is_first_, false)) unpacker_ = std::make_unique<PackedReader>();
  asked_.push_back({request, wire::monotonic_ns()});
  tell_others();
}

void RemoteTraceView::take(const Frame& frame) {
  take_frame(frame);
  tell_others();
}

void RemoteTraceView::take_frame(const Frame& frame) {
  if (std::ranges::find(asked_, frame.request, &Asked::request) == asked_.end()) return;
  switch (frame.kind) {
    case FrameKind::kAnswer:
      return take_answer(frame);
    case FrameKind::kData:
      if (!head_ || !unpacker_->unpack(frame.payload, unpacked_) || unpacked_.size() > head_->bytes - bytes_.size())
        return refuse("its answer cannot be decoded");
      bytes_ += unpacked_;
      packed_ += frame.payload.size();
      return;
    case FrameKind::kDone:
      return finish(frame);
    case FrameKind::kFailed: {
      std::erase_if(asked_, [&](const Asked& one) { return one.request == frame.request; });
      const Error error = decode_error(frame.payload);
      if (error.code == ErrorCode::kCancelled && !asked_.empty()) return;  // a newer one is under way
      return refuse(error.code == ErrorCode::kUnsupported && error.cause.find("not known") != std::string::npos
                        ? "the lacuna there is too old to show it"
                        : error.cause);
    }
    default:
      return refuse("its answer cannot be decoded");
  }
}

void RemoteTraceView::take_answer(const Frame& frame) {
  FieldReader fields(frame.payload);
  const std::uint64_t what = fields.number();
  if (what == static_cast<std::uint64_t>(RemoteViewReply::kReading)) {
    const RemoteViewState reading = get_remote_view_state(fields);
    if (!fields.ok()) return refuse("its answer cannot be decoded");
    const std::lock_guard lock(mutex_);
    state_.phase = Phase::kReading;
    state_.reading = reading;
    return;
  }
  RemoteViewHead head = get_remote_view_head(fields);
  if (what != static_cast<std::uint64_t>(RemoteViewReply::kComes) || !fields.ok() ||
      head.bytes > kMostRemoteViewBytes || head.answer_bytes > head.bytes)
    return refuse("its answer cannot be decoded");
  is_read_there_ = true;
  head_ = head;
  bytes_.clear();
  packed_ = 0;
}

void RemoteTraceView::finish(const Frame& frame) {
  const auto asked = std::ranges::find(asked_, frame.request, &Asked::request);
  const std::uint64_t asked_ns = asked->wished_ns;
  asked_.erase(asked);
  if (!head_ || bytes_.size() != head_->bytes) return refuse("its answer cannot be decoded");
  const RemoteViewHead head = *head_;
  head_.reset();
  const std::string_view bytes = bytes_;
  std::optional<KeptTrace> kept = read_stored(bytes.substr(0, bytes.size() - head.answer_bytes));
  if (!kept) return refuse("its answer cannot be decoded");
  FieldReader fields(bytes.substr(bytes.size() - head.answer_bytes));
  std::optional<RemoteAnswers> answers = get_remote_answers(fields, kept->trace);
  if (!answers) return refuse("its answer cannot be decoded");
  {
    const std::lock_guard lock(mutex_);
    state_.phase = Phase::kSeen;
    state_.is_asking = !asked_.empty();
    ++state_.pictures;
    state_.bytes += packed_;
    state_.last_bytes = packed_;
    state_.last_ns = wire::monotonic_ns() - asked_ns;
    state_.last_there_ns = FieldReader(frame.payload).number();
  }
  take_({std::move(kept->trace), std::move(kept->statistics), std::move(*answers), head});
}

}  // namespace lacuna
