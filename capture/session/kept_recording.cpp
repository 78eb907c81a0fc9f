#include "capture/session/kept_recording.h"

#include <utility>

#include "model/base/shell_words.h"

namespace lacuna {
namespace {

constexpr Nanos kAdvanceEveryNs = 50'000'000;

}  // namespace

Result<std::unique_ptr<KeptRecording>> KeptRecording::create(const std::string& parent, KeepLimit keep,
                                                             const std::vector<std::string>& command,
                                                             const std::string& output) {
  auto spool = RecordingSpool::create(parent, nullptr);
  if (!spool) return tl::make_unexpected(spool.error());
  std::unique_ptr<KeptRecording> kept(new KeptRecording(keep));
  kept->spool_ = std::move(*spool);
  kept->spool_->describe(join_words(command));
  kept->saver_.emplace(*kept->spool_, output);
  return kept;
}

void KeptRecording::begin(Nanos base_time_ns, Nanos now) {
  spool_->begin(base_time_ns);
  parts_.emplace(*spool_, keep_, now);
}

void KeptRecording::advance(Nanos now, const Session& session,
                            const std::function<TraceJsonWriter::Members()>& members) {
  if (now - advanced_ < kAdvanceEveryNs) return;
  advanced_ = now;
  spool_->flush();
  parts_->advance(now);
  saver_->look(now, session, members);
}

void KeptRecording::finish(Nanos now) {
  spool_->flush();
  parts_->advance(now);
  saver_->finish();
}

}  // namespace lacuna
