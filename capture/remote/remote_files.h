#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/remote/far_side.h"
#include "model/base/result.h"

namespace lacuna {

/// The progress of a fetch.
struct FetchStep {
  std::string path = {};    ///< on that machine; empty: its list of files is awaited
  std::size_t file = 0;     ///< number of the current file
  std::size_t files = 0;    ///< total number
  std::uint64_t bytes = 0;  ///< bytes of the current file received
  std::uint64_t total = 0;
  std::string waits = {};  ///< why it is stalled: the connection was lost and is being retried; empty: it is not
  bool has_line = true;    ///< false: the connection is lost
};
using FetchTeller = std::function<void(const FetchStep&)>;

/// Options of a fetch that shares its connection.
struct FetchBeside {
  std::unique_ptr<FarSide> line;  ///< connection to start with, and the one left at the end; null: opens one
  FarAside* aside = nullptr;      ///< served during the fetch, which keeps little data in transit for its sake
  /// While set, no more data of the files is fetched and no file is begun; `aside` is still
  /// served. Null: never held.
  const std::atomic<bool>* holds = nullptr;
  /// Called before the first byte with the files, their local paths, and whether all of them are here. May be empty.
  std::function<void(const std::vector<RemoteFile>& files, const std::vector<std::string>& paths, bool are_here)> found;
};

/// Fetches files of other machines into a private folder of this user. A fetched file is not fetched again while its
/// size, time and a sample of its bytes there are the same; a partial file stays after a lost connection and is
/// resumed. Names sent by the other machine are only used as the last part of a local path. Each call on any
/// thread; waits for calls of other processes.
class RemoteFiles {
 public:
  struct Limits {
    std::uint64_t most_bytes = 10'000'000'000;  ///< beyond this, the least recently used go, but not those in use
    int tries = 6;                              ///< attempts without progress before a lost connection is given up
    int pause_ms = 500;                         ///< before the first retry; doubled each time
    RemotePatience patience = {};
  };
  explicit RemoteFiles(std::string folder = default_folder()) : folder_(std::move(folder)) {}
  RemoteFiles(std::string folder, const Limits& limits) : folder_(std::move(folder)), limits_(limits) {}

  /// Returns $XDG_CACHE_HOME/lacuna/remote; empty: there is no cache folder.
  static std::string default_folder();
  const std::string& folder() const { return folder_; }

  /// Fetches the files that `paths` denote at `place`; returns their local paths, which end in "HOST:NAME". Errors:
  /// kCancelled, and those of FarSide. `tell` is called on the calling thread, some ten times per second.
  Result<std::vector<std::string>> fetch(const RemotePlace& place, const std::vector<std::string>& paths,
                                         const FetchTeller& tell = {}, const std::atomic<bool>* cancel = nullptr,
                                         FetchBeside* beside = nullptr) const;

  struct Usage {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
  };
  Usage usage() const;

 private:
  class Fetch;
  void make_room(const std::vector<std::string>& in_use) const;

  std::string folder_;
  Limits limits_;
};

/// Returns the local name of a file of `place`: "HOST:NAME", without path separators.
std::string local_name(const RemotePlace& place, const std::string& path);

}  // namespace lacuna
