#include "app/gui/models/area/told_analysis.h"

#include "capture/remote/sight_questions.h"

namespace lacuna {

std::shared_ptr<const RangeAnalysis> analysis_of_told(const Document& document) {
  if (document.told == nullptr || !document.told->has_statistics) return nullptr;
  const auto analysis = std::make_shared<RangeAnalysis>();
  analysis->range = document.told->asked.range;
  analysis->statistics = document.statistics;
  for (const ToldStream& told : document.told->streams) {
    StreamActivity& stream = analysis->streams.emplace_back();
    const Track& track = document.trace.track(told.track);
    stream.track = told.track;
    stream.device = track.device;
    stream.stream = track.stream;
    stream.events = told.events;
    stream.first_start = told.first_start;
    stream.last_end = told.last_end;
    stream.busy = told.busy;
  }
  return analysis;
}

}  // namespace lacuna
