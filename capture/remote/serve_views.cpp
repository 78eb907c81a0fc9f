// The far side's request to see a trace: answered while others are under way, the newest alone.

#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "capture/remote/far_server.h"
#include "capture/wire/clock.h"
#include "model/base/start_thread.h"
#include "model/cache/file_proof.h"

namespace lacuna {
namespace {

constexpr auto kViewStateEvery = std::chrono::milliseconds(250);

bool is_as_it_was(const RemoteFile& file) {
  const auto proof = prove_file(file.path);
  return proof && proof->bytes == file.bytes && proof->modified_ns == file.modified_ns && proof->sample == file.sample;
}

}  // namespace

void FarServer::end_view(FrameKind kind, std::string_view payload) {
  (void)line_.send(kind, std::exchange(view_request_, 0), payload);
}

void FarServer::attend_views() {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const bool is_view = FieldReader(at->payload).number() == static_cast<std::uint64_t>(RemoteVerb::kSee);
    if (is_view) {
      const Waiting waiting = std::move(*at);
      at = waiting_.erase(at);
      look(waiting);
    } else {
      ++at;
    }
  }
  show();
}

void FarServer::look(const Waiting& waiting) {
  if (view_request_ != 0)
    end_view(FrameKind::kFailed, encode_error({ErrorCode::kCancelled, "another is wanted", {}, {}}));
  view_request_ = waiting.request;
  const auto refuse_it = [this](ErrorCode code, const std::string& words, const std::string& file = {}) {
    end_view(FrameKind::kFailed, encode_error({code, words, file, {}}));
  };
  FieldReader fields(waiting.payload);
  (void)fields.number();  // the verb
  RemoteViewRequest wish = get_remote_view_request(fields);
  if (!fields.ok() || wish.files.empty()) return refuse_it(ErrorCode::kInvalidArgument, "a malformed request");
  if (wish.format != remote_view_format())
    return refuse_it(ErrorCode::kUnsupported, "the lacuna there is another build, and cannot show traces to this one");
  if (seen_ == nullptr || seen_->files() != wish.files) {
    for (const SeenFile& seen : wish.files)
      if (!seen.file.path.starts_with('/') || !is_as_it_was(seen.file))
        return refuse_it(ErrorCode::kNotReadable, "the file is gone or has changed meanwhile", seen.file.path);
    seen_.reset();  // its memory is needed
    seen_ = std::make_unique<SeenTrace>(std::move(wish.files), format_);
  } else if (wish.is_first) {
    seen_->begin_stream();
  }
  thin_view_ = std::move(wish.view);
  view_questions_ = std::move(wish.questions);
  view_state_sent_ = {};
}

template <class Work>
auto FarServer::beating(Work&& work) {
  std::packaged_task<decltype(work())()> task(std::forward<Work>(work));
  auto result = task.get_future();
  const std::jthread thread = start_thread(std::ref(task));
  if (!thread.joinable()) task();
  while (result.wait_for(kSayingEvery) == std::future_status::timeout) (void)line_.send(FrameKind::kBeat, 0, {});
  return result.get();
}

void FarServer::show() {
  if (view_request_ == 0) return;
  if (!seen_->is_read()) {
    const auto now = std::chrono::steady_clock::now();
    if (now - view_state_sent_ < kViewStateEvery) return;
    view_state_sent_ = now;
    FieldWriter answer;
    answer.number(static_cast<std::uint64_t>(RemoteViewReply::kReading));
    put(answer, seen_->state());
    (void)line_.send(FrameKind::kAnswer, view_request_, answer.bytes());
    return;
  }
  const std::uint64_t begin = wire::monotonic_ns();
  // On a machine that has much else to do, an answer takes longer than the other end waits for a silent one.
  const Result<SeenTrace::Piece> piece = beating([&] { return seen_->see(thin_view_, view_questions_); });
  if (!piece) return end_view(FrameKind::kFailed, encode_error(piece.error()));
  FieldWriter answer;
  answer.number(static_cast<std::uint64_t>(RemoteViewReply::kComes));
  put(answer, piece->head);
  bool goes = line_.send(FrameKind::kAnswer, view_request_, answer.bytes());
  for (const std::string& packed : piece->packed) goes = goes && line_.send(FrameKind::kData, view_request_, packed);
  end_view(FrameKind::kDone, FieldWriter().number(wire::monotonic_ns() - begin).bytes());
}

}  // namespace lacuna
