#include "app/gui/core/track_names.h"

namespace lacuna {

std::string track_text(const Trace& trace, const Track& track) {
  std::string text(trace.text(trace.process(track.process).name));
  if (text.empty()) text = trace.text(trace.process(track.process).pid);
  text += " \xC2\xB7 ";
  text += trace.text(track.name);
  return text;
}

std::string stream_text(const Trace& trace, const StreamActivity& stream) {
  std::string text = "GPU ";
  text += trace.text(stream.device);
  text += " \xC2\xB7 stream ";
  text += trace.text(stream.stream);
  return text;
}

}  // namespace lacuna
