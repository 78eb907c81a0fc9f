#include "capture/sampling/stack_lane.h"

#include <algorithm>

#include "capture/session/json_args.h"

namespace lacuna {

SampledSlice StackLane::slice(const OpenFrame& open, std::uint64_t end) const {
  JsonArgs args;
  if (!open.frame.file.empty()) args.string("file", open.frame.file);
  if (open.frame.line > 0) args.number("line", open.frame.line);
  args.number("samples", open.samples);
  return {track_,     open.frame.name,           open.frame.category,
          open.start, std::max(end, open.start), std::string(args.text())};
}

void StackLane::close(std::size_t keep, std::uint64_t time, std::vector<SampledSlice>& out) {
  // The outermost first: of slices that begin and end together readers take the first for the one around.
  for (std::size_t i = keep; i < open_.size(); ++i) out.push_back(slice(open_[i], time));
  open_.resize(std::min(keep, open_.size()));
}

void StackLane::settle(std::uint64_t now, std::vector<SampledSlice>& out) {
  if (open_.empty() || now <= last_ + kMostPeriods * period_) return;
  last_ += period_;  // what a late sample finds begins after what has ended
  close(0, last_, out);
}

void StackLane::sample(std::uint64_t time, std::span<const SampledFrame> frames, std::vector<SampledSlice>& out) {
  time = std::max(time, last_);
  settle(time, out);
  std::size_t same = 0;
  while (same < open_.size() && same < frames.size() && open_[same].frame.name.data() == frames[same].name.data())
    ++same;
  close(same, time, out);
  for (std::size_t i = 0; i < same; ++i) {
    OpenFrame& open = open_[i];
    ++open.samples;
    if (frames[i].line == open.frame.line) {
      ++open.on_line;
    } else if (open.on_line > 0 && --open.on_line == 0) {  // a majority vote
      open.frame.line = frames[i].line;
      open.on_line = 1;
    }
  }
  for (std::size_t i = same; i < frames.size(); ++i) open_.push_back({frames[i], time, 1, 1});
  last_ = time;
}

void StackLane::add_open(std::uint64_t now, std::vector<SampledSlice>& out) const {
  for (const OpenFrame& open : open_) out.push_back(slice(open, std::min(now, last_ + period_)));
}

}  // namespace lacuna
