#include "app/gui/core/track_names.h"

namespace lacuna {

std::string track_text(const Trace& trace, const Track& track) {
  const Process& process = trace.process(track.process);
  std::string text(trace.text(process.name));
  if (process.is_gpu && track.device != kEmptyString) {
    // As its title, its streams and its gaps say; files call the process after the program.
    const std::string& label = trace.sources()[process.source.value].label;
    text = label.empty() ? std::string() : label + " \xC2\xB7 ";
    text.append("GPU ").append(trace.text(track.device));
  }
  if (text.empty()) text = trace.text(process.pid);
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
