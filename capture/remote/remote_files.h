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

/// How far a fetch is.
struct FetchStep {
  std::string path = {};    ///< there; empty: the far side is asked which files there are
  std::size_t file = 0;     ///< the so-many-th
  std::size_t files = 0;    ///< total number
  std::uint64_t bytes = 0;  ///< of it are here
  std::uint64_t total = 0;
  std::string waits = {};  ///< why it stands still: the line broke and is tried again; empty: it does not
  bool has_line = true;    ///< false: it broke
};
using FetchTeller = std::function<void(const FetchStep&)>;

/// What goes on beside a fetch, on its line.
struct FetchBeside {
  std::unique_ptr<FarSide> line;  ///< to begin with, and what is left of it in the end; null: one is made
  FarAside* aside = nullptr;      ///< gets its share of the line: no more than it needs is under way then
  /// While it is set no more of the files comes, and nothing of one that was not begun; what stands aside is served
  /// all the same. null: it never is.
  const std::atomic<bool>* holds = nullptr;
  /// Called before the first byte with the files, their paths here, and whether all of them are here. May be empty.
  std::function<void(const std::vector<RemoteFile>& files, const std::vector<std::string>& paths, bool are_here)> found;
};

/// Files of other machines, fetched into a folder that is this user's alone. A file that was fetched is not fetched
/// again while it has its size, time and a sample of its bytes there; what came of one before the line broke stays, and
/// is gone on with. Names that come from the other side are only ever the last part of a path here. Each call on any
/// thread; calls of other processes are waited for.
class RemoteFiles {
 public:
  struct Limits {
    std::uint64_t most_bytes = 10'000'000'000;  ///< the least used go; not those that a call is about
    int tries = 6;                              ///< in a row that bring nothing, before a broken line is given up
    int pause_ms = 500;                         ///< before the first new try; doubled with each
    RemotePatience patience = {};
  };
  explicit RemoteFiles(std::string folder = default_folder()) : folder_(std::move(folder)) {}
  RemoteFiles(std::string folder, const Limits& limits) : folder_(std::move(folder)), limits_(limits) {}

  /// $XDG_CACHE_HOME/lacuna/remote; empty: there is no place for it.
  static std::string default_folder();
  const std::string& folder() const { return folder_; }

  /// The files that `paths` stand for at `place`, fetched: their paths here, which end in "HOST:NAME". kCancelled; and
  /// what FarSide says. `tell` is called on the calling thread, some ten times a second.
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

/// What a file of `place` is called here: "HOST:NAME", in which nothing leads anywhere.
std::string local_name(const RemotePlace& place, const std::string& path);

}  // namespace lacuna
