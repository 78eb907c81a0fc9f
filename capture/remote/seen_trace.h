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

/// Traces of this machine that are shown on another one: read once, on a thread of its own, then sent as small
/// pictures while the connection lasts. Uses the cache like a local window, for reading and writing. Data that
/// does not fit into memory goes to disk, or causes an error with an explanation. One thread besides its own.
class SeenTrace {
 public:
  /// `format`: of numbers in texts.
  SeenTrace(std::vector<SeenFile> files, const ReportFormat& format);
  /// Cancels the reading and waits for its end.
  ~SeenTrace();
  SeenTrace(const SeenTrace&) = delete;
  SeenTrace& operator=(const SeenTrace&) = delete;

  const std::vector<SeenFile>& files() const { return files_; }
  bool is_read() const { return is_read_; }
  /// Returns a descriptor that becomes readable, and stays so, once the traces are read.
  int wakes() const { return wakes_.get(); }
  RemoteViewState state() const;

  /// Starts a new packed stream with the next piece.
  void begin_stream() { packer_ = std::make_unique<PackedWriter>(kWindowLog); }
  struct Piece {
    RemoteViewHead head;
    std::vector<std::string> packed;  ///< each of at most kMostUnpacked bytes
  };
  /// Makes a picture. Call after the traces are read. Errors: those of reading; kLimit.
  Result<Piece> see(const ThinView& view, const RemoteQuestions& questions);

 private:
  static constexpr int kWindowLog = 23;
  void read();
  void fail_to_read(std::string_view why);
  void tell_that_it_is_read();
  bool read_files(TraceCache::Files& files);

  const std::vector<SeenFile> files_;
  const ReportFormat format_;
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
