#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// One operation as recorded by a rank's flight recorder (torch/csrc/distributed/c10d/FlightRecorder.hpp).
struct FlightEntry {
  std::string group;        ///< name of the process group
  std::string description;  ///< "default_pg"
  std::string name;         ///< "nccl:all_reduce"
  std::string state;        ///< "scheduled", "started", "completed"
  std::string inputs;       ///< "[[1000]] Float"
  std::string outputs;
  std::int64_t group_id = 0;
  std::int64_t sequence = 0;  ///< number of the collective, or of the point-to-point operation, within the group
  std::int64_t created_ns = 0;
  std::optional<std::int64_t> started_ns;
  std::optional<std::int64_t> completed_ns;
  std::int64_t timeout_ms = 0;
  std::int64_t collective = 0;  ///< number of the collective; all of a coalesced group have the same
  bool is_p2p = false;
  bool is_around = false;  ///< stands for sends and receives of a coalesced group, which have entries of their own
  bool is_retired = false;
  bool is_done = false;             ///< completed, according to its state, its times and its group's status
  std::vector<std::string> frames;  ///< "name  file:line", innermost first
};

struct FlightGroup {
  std::string name;
  std::string description;
  std::vector<std::int64_t> ranks;  ///< global ranks; empty if the file does not list them
};

/// The dump of one rank.
struct FlightDump {
  std::string path;
  std::int64_t rank = 0;
  bool has_rank = false;  ///< whether the file or its name gives the rank
  std::string version;
  std::vector<FlightGroup> groups;
  std::vector<FlightEntry> entries;  ///< in the recorder's order
  std::uint64_t not_understood = 0;
};

/// Numbers ranks by the order of the files if they are not named, or named twice.
void number_ranks(std::vector<FlightDump>& dumps);

/// One operation of a process group over all ranks that did not complete everywhere.
struct HungOperation {
  enum class Kind : std::uint8_t {
    kMissingRanks,  ///< some ranks never entered it
    kMismatch,      ///< ranks entered different operations, or with different sizes
    kAllEntered,    ///< all ranks entered, not all finished
  };
  struct Rank {
    std::int64_t rank = 0;
    const FlightEntry* entry = nullptr;
  };
  Kind kind = Kind::kAllEntered;
  FlightGroup group;
  std::int64_t sequence = 0;
  bool is_p2p = false;
  std::string name;                    ///< of the first rank that entered
  std::vector<Rank> entered;           ///< ascending by rank
  std::vector<std::int64_t> expected;  ///< ranks of the group
  std::vector<std::int64_t> completed;
  std::vector<std::int64_t> missing;       ///< have a dump, but did not get this far
  std::vector<std::int64_t> without_dump;  ///< have no dump: nothing is known of them
  std::int64_t first_created_ns = 0;
};

/// The last operation of each rank.
struct FlightRank {
  const FlightDump* dump = nullptr;
  const FlightEntry* last = nullptr;  ///< entered last
  const FlightEntry* last_completed = nullptr;
};

struct HangAnalysis {
  std::vector<HungOperation> hung;  ///< by the time at which the first rank entered
  std::vector<FlightRank> ranks;
  std::uint64_t completed = 0;  ///< number of operations that all ranks that entered completed
  std::vector<std::string> sentences;
};

/// Finds which operations never completed, which ranks entered, which are missing. `dumps` must outlive the result.
HangAnalysis analyze_hang(const std::vector<FlightDump>& dumps);

}  // namespace lacuna
