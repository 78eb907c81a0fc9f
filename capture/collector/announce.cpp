#include "capture/collector/announce.h"

#include <cstdlib>
#include <cstring>

#include "capture/wire/launch_ranks.h"

namespace lacuna::collector {
namespace {

/// -1 unless the variable is a whole number.
long long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return -1;
  char* end = nullptr;
  const long long number = std::strtoll(text, &end, 10);
  return *end == '\0' && number >= 0 ? number : -1;
}

wire::RankRecord rank_record(const Process& process, const Rank& rank) {
  wire::RankRecord record;
  record.head.type = wire::RecordType::kRank;
  record.head.time = now(process);
  record.rank = static_cast<std::int32_t>(rank.rank);
  record.local_rank = static_cast<std::int32_t>(rank.local_rank);
  record.world_size = static_cast<std::int32_t>(rank.world_size);
  return record;
}

}  // namespace

void put_number(wire::RecordType type, std::uint64_t number, const char* name) {
  Process* process = attached_process();
  if (process == nullptr || name == nullptr) return;
  wire::NumberRecord record;
  record.head.type = type;
  record.head.name = intern(*process, nullptr, nullptr, name, std::strlen(name));
  record.head.time = now(*process);
  record.number = number;
  const Locked locked(process->lock);
  put_control(*process, record);
}

Rank rank_of_environment() {
  for (const wire::LaunchVariables& launcher : wire::kLaunchVariables) {
    const Rank rank{number_of(launcher.rank), number_of(launcher.local_rank), number_of(launcher.world_size)};
    if (rank.rank >= 0 && rank.world_size >= launcher.fewest && rank.rank < rank.world_size) return rank;
  }
  return {};
}

void tell_rank(const Rank& rank, const char* facts) {
  Process* process = attached_process();
  if (process == nullptr) return;
  wire::RankRecord record = rank_record(*process, rank);
  if (facts != nullptr) record.head.name = intern(*process, nullptr, nullptr, facts, std::strlen(facts));
  const Locked locked(process->lock);
  put_control(*process, record);
}

void announce_rank(Process& process) {
  if (const Rank rank = rank_of_environment(); rank.rank >= 0) put_control(process, rank_record(process, rank));
}

}  // namespace lacuna::collector
