#include "capture/share/attached_recording.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "capture/session/running_offset.h"
#include "capture/wire/clock.h"
#include "model/base/file_bytes.h"
#include "model/base/guarded.h"
#include "model/base/shell_words.h"
#include "model/base/start_thread.h"
#include "model/export/replace_file.h"
#include "model/export/trace_json_writer.h"
#include "model/formats/chrome/event_reader.h"

namespace lacuna {
namespace {

constexpr int kAnswerMs = 5000;
constexpr int kWaitMs = 20;
constexpr std::size_t kWindowBytes = std::size_t{128} << 10;
constexpr std::uint64_t kMostAtOnce = std::uint64_t{8} << 20;  // then it is handed over

}  // namespace

/// What the other side writes, up to where it said that events are whole.
class AttachedRecording::File : public ByteSource {
 public:
  explicit File(int descriptor) : file_(Descriptor(descriptor)) {}

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    if (offset >= kRunningOffset) return read_running_event(offset, out);
    const std::uint64_t end = end_;
    if (offset >= end) return 0;
    return file_.read_at(offset,
                         out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end - offset))));
  }
  std::uint64_t size() const override { return end_; }

  std::uint64_t size_on_disk() const { return file_.size(); }
  void set_end(std::uint64_t end) { end_ = end; }

 private:
  const FileBytes file_;
  std::atomic<std::uint64_t> end_{0};
};

Result<std::unique_ptr<AttachedRecording>> AttachedRecording::attach(const std::string& path, const KeepLimit& keep) {
  Result<ShareSocket> socket = ShareSocket::connect(path);
  if (!socket) return tl::make_unexpected(socket.error());
  if (socket->send(encode_attach()) != ShareSocket::Sent::kYes)
    return fail(ErrorCode::kNotReadable, "the recording does not listen", path);
  std::string message;
  int descriptor = -1;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kAnswerMs);
  ShareSocket::Got got = ShareSocket::Got::kNothing;
  while (got == ShareSocket::Got::kNothing && std::chrono::steady_clock::now() < until) {
    socket->wait(100);
    got = socket->receive(message, &descriptor);
  }
  const auto file = descriptor >= 0 ? std::make_shared<File>(descriptor) : nullptr;
  if (got != ShareSocket::Got::kMessage)
    return fail(ErrorCode::kNotReadable,
                got == ShareSocket::Got::kGone ? "the recording has ended" : "the recording does not answer", path);
  if (kind_of(message) == ShareKind::kRefusal) return fail(ErrorCode::kUnsupported, decode_text(message), path);
  auto description = decode_description(message);
  if (!description || file == nullptr)
    return fail(ErrorCode::kUnsupported, "not a recording of this version of Lacuna", path);

  std::unique_ptr<AttachedRecording> made(new AttachedRecording);
  made->description_ = std::move(*description);
  made->plan_.arguments = made->description_.arguments;
  made->plan_.keep = keep;
  made->window_ = KeptWindow(keep);
  made->file_ = file;
  made->socket_ = std::move(*socket);
  made->at_ = made->description_.first_event;
  made->box_.start(made->description_.target);
  const ShareDescription& there = made->description_;
  made->console_.say(fmt::format("Attached to process {}{}, which records: {}", there.recorder,
                                 there.place.empty() ? "" : " of " + there.place, join_words(there.arguments)));
  made->console_.say(there.place.empty()
                         ? "The program's output goes where that was started; it ends, and is saved, there: " +
                               there.output
                         : "It ends, and is saved, there: " + there.output);
  made->thread_ = start_thread([raw = made.get()] { raw->run_to_the_end(); });
  if (!made->thread_.joinable()) return fail(ErrorCode::kLimit, std::string(kNoMoreThreads), path);
  return made;
}

AttachedRecording::~AttachedRecording() {
  is_stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Nanos AttachedRecording::now() const {
  return saturating_add(static_cast<Nanos>(wire::monotonic_ns()), description_.clock_offset);
}

std::vector<DeviceProperties> AttachedRecording::devices() const {
  const std::scoped_lock lock(devices_mutex_);
  return devices_;
}

std::shared_ptr<const ByteSource> AttachedRecording::bytes() const {
  return file_;
}

bool AttachedRecording::hear() {
  std::string message;
  for (;;) {
    const ShareSocket::Got got = socket_.receive(message);
    if (got == ShareSocket::Got::kNothing) return true;
    if (got == ShareSocket::Got::kGone) return false;
    const auto kind = kind_of(message);
    if (kind == ShareKind::kText) console_.say(decode_text(message));
    if (kind != ShareKind::kState) continue;
    (void)running_.take();
    running_.set_offset(kRunningOffset);
    if (const auto state = decode_state(message, running_)) {
      const std::uint64_t readable = std::max(state_.readable, state->readable);  // never less than before
      state_ = *state;
      state_.readable = readable;
      const std::scoped_lock lock(devices_mutex_);
      devices_ = state_.devices;
    }
  }
}

/// False: there is no more, at the list's end or in what is broken.
bool AttachedRecording::read_events(std::uint64_t up_to) {
  file_->set_end(up_to);
  if (at_ >= up_to) return true;
  // Events lie ",\n" apart; the first of a round begins behind that.
  char behind[2] = {};
  if (at_ > description_.first_event && file_->read_at(at_, behind) == 2 && behind[0] == ',') at_ += 2;
  EventBatch batch;
  EventReader reader(*file_, kWindowBytes);
  const EventReader::Outcome outcome = reader.read(at_, std::min(up_to, at_ + kMostAtOnce), batch);
  at_ = outcome.position;
  part_events_ += batch.event_count();
  batch.seal();
  if (batch.event_count() > 0) box_.add(std::move(batch));
  if (outcome.end == EventReader::End::kLimit || outcome.end == EventReader::End::kDataEnd) return true;
  file_->set_end(at_);  // what stands behind the events is no part of a copy
  return false;
}

void AttachedRecording::keep_within_limit() {
  const Nanos now = state_.now;
  window_.count(part_events_, now);
  if (window_.is_part_full(now)) {
    window_.start_part(at_, now);
    part_events_ = 0;
  }
  while (window_.is_too_much(now)) {
    window_.drop_oldest();
    forget_below_ = window_.place();
  }
}

void AttachedRecording::hand_over(bool is_last) {
  keep_within_limit();
  if (state_.copy_failed && !std::exchange(reported_copy_failed_, true))
    console_.say("The disk takes no more of what this window reads. The recording itself may go on.");
  EventBatch running;
  if (!is_last) {
    running_.set_offset(kRunningOffset);
    running = uncounted(copied(running_.batch()));
  }
  box_.put([&](LiveDelivery& next, Status& status) {
    next.running = std::move(running);
    next.now = state_.now;
    next.forget_below = forget_below_;
    next.is_last = is_last;
    status.capture = state_.capture;
    status.events = state_.events;
    status.forgotten = window_.forgotten();
    status.spool_bytes = state_.readable;
    status.is_cut = state_.is_cut && !is_last;
    status.late = state_.late;
    status.exit = state_.exit;
    status.is_over = is_last;
    if (is_last) status.ended_at = state_.now;
  });
}

void AttachedRecording::run_to_the_end() {
  const auto tell = [this](std::string_view what) {
    console_.say(fmt::format("This window reads no further: {}. The recording itself goes on.", what));
  };
  if (run_guarded([this] { run(); }, tell)) return;
  const auto nothing = [](std::string_view) {};
  (void)run_guarded([this] { socket_.close(); }, nothing);
  if (run_guarded([this] { hand_over(true); }, nothing)) return;
  box_.put([&](LiveDelivery& next, Status& status) {
    next.is_last = true;
    status.is_over = true;
    status.ended_at = state_.now;
  });
}

void AttachedRecording::run() {
  bool is_there = true;
  bool can_read = true;
  while (!is_stopping_) {
    if (is_there && at_ >= state_.readable) socket_.wait(kWaitMs);
    if (wants_stop_.exchange(false)) (void)socket_.send(encode_stop());
    is_there = is_there && hear();
    if (!is_there && !state_.is_last) state_.readable = std::max(state_.readable, file_->size_on_disk());
    can_read = can_read && read_events(state_.readable);
    const bool is_all_read = !can_read || at_ >= state_.readable;
    if (is_all_read && (state_.is_last || !is_there)) break;
    hand_over(false);
  }
  if (state_.is_last) {
    if (state_.exit) console_.say(fmt::format("The target {}.", state_.exit->in_words()));
    console_.say("The recording has ended: " + description_.output);
  } else if (!is_stopping_) {
    state_.now = now();
    console_.say("The recorder ended without finishing its recording; this is what it had written.");
  }
  console_.finish();
  socket_.close();
  hand_over(true);
}

Result<void> AttachedRecording::save(const std::string& path, Existing existing) const {
  return replace_file(path, existing, [this](OutputFile& out) {
    TraceJsonWriter writer(out);  // what is copied has the beginning
    const Result<void> copied = copy_bytes(*file_, 0, file_->size(), out);
    const Status now = status();
    for (const DeviceProperties& device : devices())
      writer.add(StreamedDevice{static_cast<std::uint32_t>(std::strtoul(device.id.c_str(), nullptr, 10)), device.name,
                                device.total_memory_bytes, device.compute_major, device.compute_minor,
                                device.multiprocessors});
    writer.end({{"lacuna", losses_json(now.capture, now.forgotten, now.not_written)}});
    return copied;
  });
}

}  // namespace lacuna
