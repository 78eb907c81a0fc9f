#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "capture/remote/packed.h"
#include "capture/remote/trace_answerer.h"
#include "capture/remote/verbs.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"
#include "model/cache/trace_cache.h"
#include "model/cache/trace_codec.h"
#include "model/cache/trace_thinner.h"
#include "model/import/importer.h"

namespace lacuna {

/// Traces of this machine that are looked at from another one: read once, on a thread of its own, then shown in small
/// pieces for as long as the line lives. Takes them from the cache, and keeps them there, as a window here would. What
/// does not fit into memory lies on disk, or is an error with words. One thread besides its own.
class SeenTrace {
 public:
  /// `duration`: for sentences.
  SeenTrace(std::vector<SeenFile> files, TraceAnswerer::DurationText duration);
  /// Waits for the reading, which ends soon.
  ~SeenTrace();
  SeenTrace(const SeenTrace&) = delete;
  SeenTrace& operator=(const SeenTrace&) = delete;

  const std::vector<SeenFile>& files() const { return files_; }
  bool is_read() const { return is_read_; }
  /// A descriptor that becomes readable, and stays so, once they are read.
  int wakes() const { return wakes_.get(); }
  RemoteViewState state() const;

  /// The next piece of the packed stream begins it.
  void begin_stream() { packer_ = std::make_unique<PackedWriter>(kWindowLog); }
  struct Piece {
    RemoteViewHead head;
    std::vector<std::string> packed;  ///< each of kMostUnpacked bytes at most
  };
  /// Once they are read. Errors: of the reading; kLimit.
  Result<Piece> see(const ThinView& view, const RemoteQuestions& questions);

 private:
  static constexpr int kWindowLog = 23;
  void read();
  void fail_to_read(std::string_view why);
  void tell_that_it_is_read();
  bool read_files(TraceCache::Files& files);

  const std::vector<SeenFile> files_;
  const TraceAnswerer::DurationText duration_;
  ImportProgress progress_;
  std::atomic<bool> is_read_{false};
  Descriptor wakes_;
  // Written before is_read_.
  KeptTrace kept_;
  std::optional<Error> error_;
  std::unique_ptr<TraceThinner> thinner_;
  std::unique_ptr<TraceAnswerer> answerer_;
  std::unique_ptr<PackedWriter> packer_;
  std::jthread thread_;
};

}  // namespace lacuna
