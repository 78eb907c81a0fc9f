#include "capture/remote/seen_trace.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/remote/fields.h"
#include "model/base/guarded.h"
#include "model/base/os/machine.h"
#include "model/base/start_thread.h"
#include "model/statistics/statistics.h"

namespace lacuna {
namespace {

constexpr int kNiceness = 10;

/// A stored trace, as bytes. Empty: there is no memory for it.
std::string stored_in_memory(const Trace& trace, const Statistics& statistics) {
  std::string bytes;
  const int file = ::memfd_create("sight", MFD_CLOEXEC);
  if (file < 0) return bytes;
  StoredFileWriter out(file);
  // Whoever reads it makes folds of it anew: they would be more than it is.
  TraceCodec::write(out, trace, std::vector<FoldIndex>(trace.lanes().size()), statistics, TimeSpan::nothing());
  const off_t size = out.finish() ? ::lseek(file, 0, SEEK_END) : 0;
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::pread(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got <= 0) {
      bytes.clear();
    } else {
      at += static_cast<std::size_t>(got);
    }
  }
  ::close(file);
  return bytes;
}

}  // namespace

SeenTrace::SeenTrace(std::vector<SeenFile> files, const ReportFormat& format)
    : files_(std::move(files)), format_(format), wakes_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  begin_stream();
  thread_ = start_thread([this] { read(); });
  if (thread_.joinable()) return;
  fail_to_read(kNoMoreThreads);
  tell_that_it_is_read();
}

SeenTrace::~SeenTrace() {
  progress_.cancel = true;
  if (thread_.joinable()) thread_.join();
}

RemoteViewState SeenTrace::state() const {
  return {.bytes = progress_.bytes_done, .total = progress_.bytes_total, .events = progress_.events};
}

void SeenTrace::read() {
  TraceCache::Files files;
  bool is_new = false;
  const auto tell = [this](std::string_view) { fail_to_read("there is not enough memory there to read it"); };
  (void)run_guarded([&] { is_new = read_files(files); }, tell);
  tell_that_it_is_read();
  if (error_) return;
  give_way_to_others(kNiceness);  // what is asked comes first
  const auto finish = [&] {
    answerer_->work_out(is_new ? std::optional<Statistics>() : std::move(kept_.statistics), progress_.cancel);
    if (is_new && !progress_.cancel)
      (void)TraceCache().keep(files, kept_.trace, kept_.folds, *answerer_->statistics(), TimeSpan::nothing(),
                              &progress_.cancel);
  };
  (void)run_guarded(finish, [](std::string_view) {});  // then it is read anew next time
}

void SeenTrace::fail_to_read(std::string_view why) {
  error_.emplace().code = ErrorCode::kLimit;
  error_->file = files_.front().file.path;
  error_->cause = why;
}

void SeenTrace::tell_that_it_is_read() {
  is_read_ = true;
  const std::uint64_t one = 1;
  (void)!::write(wakes_.get(), &one, sizeof one);  // where that fails, it is asked for now and then
}

/// True: it was not in the cache.
bool SeenTrace::read_files(TraceCache::Files& files) {
  ImportOptions options;
  options.use_cache = true;
  std::vector<std::string> paths;
  for (const SeenFile& seen : files_) paths.push_back(seen.file.path);
  bool is_new = false;
  files = TraceCache::look_at(paths, options);
  if (auto kept = TraceCache().find(files, options)) {
    kept_ = std::move(*kept);
  } else if (Result<Trace> trace = import_files(paths, options, &progress_); trace) {
    kept_.trace = std::move(*trace);
    kept_.folds = FoldIndex::build(kept_.trace.lanes(), std::max(1u, std::thread::hardware_concurrency()));
    is_new = true;
  } else {
    error_ = trace.error();
  }
  std::vector<std::string> names;
  for (const TraceSource& source : kept_.trace.sources()) {
    const auto seen = std::ranges::find_if(files_, [&](const SeenFile& f) { return f.file.path == source.path; });
    names.push_back(seen != files_.end() ? seen->name : source.path);
  }
  thinner_ = std::make_unique<TraceThinner>(kept_.trace, kept_.folds, std::move(names));
  answerer_ = std::make_unique<TraceAnswerer>(kept_.trace, format_);
  return is_new;
}

Result<SeenTrace::Piece> SeenTrace::see(const ThinView& view, const RemoteQuestions& questions) {
  if (error_) return tl::make_unexpected(*error_);
  try {
    TraceAnswerer::Answer answer = answerer_->answer(questions);
    const ThinTrace thin = thinner_->make(view, std::move(answer.statistics));
    std::string bytes = stored_in_memory(thin.trace, thin.statistics);
    const std::size_t picture = bytes.size();
    FieldWriter answers;
    put(answers, answer.answers, kept_.trace);
    bytes += answers.bytes();
    if (picture == 0 || bytes.size() > kMostRemoteViewBytes)
      return fail(ErrorCode::kLimit, "there are too many tracks to be shown from there", files_.front().file.path);
    Piece piece{{thin.span, thin.fold_ns, thin.outer_ns, bytes.size(), answers.bytes().size()}, {}};
    for (std::size_t at = 0; at < bytes.size(); at += kMostUnpacked) {
      piece.packed.push_back(packer_->pack(std::string_view(bytes).substr(at, kMostUnpacked)));
      if (piece.packed.back().empty()) throw std::bad_alloc();
    }
    return piece;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "there is not enough memory there to show it", files_.front().file.path);
  }
}

}  // namespace lacuna
