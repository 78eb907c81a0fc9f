#include "capture/session/trace_recorder.h"

#include <fmt/format.h>

namespace lacuna {

Result<std::unique_ptr<TraceRecorder>> TraceRecorder::start(const std::string& path, SessionOptions options) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return tl::make_unexpected(file.error());
  std::unique_ptr<TraceRecorder> recorder(new TraceRecorder(std::move(*file)));
  Result<std::unique_ptr<Session>> session = Session::start(std::move(options), recorder->writer_);
  if (!session) return tl::make_unexpected(session.error());
  recorder->session_ = std::move(*session);
  recorder->writer_.begin({.base_time_ns = recorder->session_->base_time_ns()});
  return recorder;
}

void TraceRecorder::poll(int timeout_ms) {
  session_->poll(timeout_ms);
  const Nanos now = session_->now();
  if (now - flushed_ > 1'000'000'000) {
    flushed_ = now;
    file_.flush();
  }
}

Result<void> TraceRecorder::finish() {
  session_->finish();
  const Session::Status s = session_->status();
  writer_.end({{"lacuna", fmt::format("{{\"version\": \"{}\", \"processes\": {}, \"records\": {}, \"dropped\": {}, "
                                      "\"incomplete_gpu\": {}, \"corrupt\": {}, \"lost_ends\": {}, \"names_lost\": {}}}",
                                      LACUNA_VERSION, s.processes, s.records, s.dropped, s.incomplete_gpu, s.corrupt,
                                      s.lost_ends, s.names_lost)}});
  return file_.finish();
}

}  // namespace lacuna
