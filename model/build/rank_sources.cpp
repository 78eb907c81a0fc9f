#include "model/build/rank_sources.h"

#include <map>
#include <string>

namespace lacuna {
namespace {

/// What a rank's source has of its file: all but the counts, which stay with the file.
TraceSource source_of_rank(const TraceSource& file) {
  TraceSource source;
  source.path = file.path;
  source.format = file.format;
  source.base_time_ns = file.base_time_ns;
  source.has_base_time = file.has_base_time;
  source.shift_ns = file.shift_ns;
  source.alignment = file.alignment;
  source.world_size = file.world_size;
  source.display_time_unit = file.display_time_unit;
  source.devices = file.devices;
  source.metadata = file.metadata;
  source.bytes = file.bytes;
  source.is_rank_of_file = true;
  return source;
}

}  // namespace

void split_by_rank(std::vector<TraceSource>& sources, std::vector<Process>& processes) {
  const std::size_t files = sources.size();
  for (std::uint32_t f = 0; f < files; ++f) {
    std::map<std::int64_t, std::uint32_t> source_of;
    bool has_others = false;
    for (const Process& process : processes) {
      if (process.source.value != f) continue;
      if (process.rank) {
        source_of[*process.rank] = f;
      } else {
        has_others = true;
      }
    }
    if (source_of.empty()) continue;
    if (source_of.size() == 1) {
      if (!sources[f].rank) sources[f].rank = source_of.begin()->first;
      continue;
    }
    const std::string label = sources[f].label;
    bool takes_file = !has_others;  // the first rank, so that no source is empty
    sources[f].is_around_ranks = has_others;
    for (auto& [rank, index] : source_of) {
      if (!takes_file) {
        index = static_cast<std::uint32_t>(sources.size());
        sources.push_back(source_of_rank(sources[f]));
      }
      takes_file = false;
      sources[index].rank = rank;
      sources[index].label = (label.empty() ? "rank " : label + " · rank ") + std::to_string(rank);
    }
    for (Process& process : processes)
      if (process.source.value == f && process.rank) process.source = SourceId{source_of[*process.rank]};
  }
}

}  // namespace lacuna
