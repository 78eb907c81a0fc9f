#include "app/gui/models/area/remote_analysis.h"

#include "capture/remote/remote_questions.h"

namespace lacuna {

std::shared_ptr<const RangeAnalysis> analysis_of_answers(const Document& document) {
  if (document.answers == nullptr || !document.answers->has_statistics) return nullptr;
  const auto analysis = std::make_shared<RangeAnalysis>();
  analysis->range = document.answers->asked.range;
  analysis->statistics = document.statistics;
  for (const RemoteStream& remote : document.answers->streams) {
    StreamActivity& stream = analysis->streams.emplace_back();
    const Track& track = document.trace.track(remote.track);
    stream.track = remote.track;
    stream.device = track.device;
    stream.stream = track.stream;
    stream.events = remote.events;
    stream.first_start = remote.first_start;
    stream.last_end = remote.last_end;
    stream.busy = remote.busy;
  }
  return analysis;
}

}  // namespace lacuna
