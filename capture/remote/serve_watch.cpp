// The far side's requests about recordings: one is started that outlives the line, and one is watched: what it writes
// goes over the line, packed, with its states.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/remote/checksum.h"
#include "capture/remote/far_server.h"
#include "capture/remote/packed.h"
#include "capture/session/running_offset.h"
#include "capture/share/share_message.h"
#include "capture/share/share_places.h"
#include "capture/share/share_socket.h"
#include "model/base/file_bytes.h"
#include "model/base/os/descriptor.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/user_folders.h"
#include "model/input/bytes.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWatchBlock = std::size_t{256} << 10;
constexpr std::size_t kMostLogLine = 2000;
constexpr std::size_t kMostLogSent = std::size_t{64} << 10;
constexpr auto kStateEvery = std::chrono::milliseconds(30);
constexpr auto kStartPatience = std::chrono::seconds(15);
constexpr int kAttachMs = 5000;
constexpr int kWatchRoundMs = 30;
constexpr int kLastWordsTries = 60;
constexpr auto kOldLog = std::chrono::hours(24 * 14);

std::string end_of_text(const std::string& path, std::size_t most) {
  const FileBytes file(open_for_reading(path, LinkRule::kRefuse));
  if (!file.is_open()) return {};
  const std::uint64_t size = file.size();
  std::string text(std::min<std::uint64_t>(size, most), '\0');
  text.resize(file.read_at(size - text.size(), text));
  return text;
}

/// A private folder for what started programs write; old logs in it go.
Result<std::string> log_folder() {
  const std::string state = user_state_folder();
  if (state.empty()) return fail(ErrorCode::kNotWritable, "no place for logs: set HOME or XDG_STATE_HOME");
  const std::string folder = state + "/lacuna/there";
  std::error_code failed;
  fs::create_directories(state + "/lacuna", failed);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  for (const fs::path path : folder_paths(folder, failed))
    if (path.extension() == ".log" && fs::file_time_type::clock::now() - fs::last_write_time(path, failed) > kOldLog)
      fs::remove(path, failed);
  return folder;
}

}  // namespace

FarServer::Outcome FarServer::start_recording(FieldReader& fields) {
  const std::vector<std::string> words = get_words(fields);
  if (!fields.ok() || words.empty()) return fail(ErrorCode::kInvalidArgument, "a malformed request");
  return start_there({"lacuna", "record", "--quiet"}, words);
}

FarServer::Outcome FarServer::look_at_process(FieldReader& fields) {
  const std::uint64_t pid = fields.number();
  if (!fields.ok() || pid == 0 || pid > 0x7fffffff) return fail(ErrorCode::kInvalidArgument, "a malformed request");
  // It is to sleep again where the window has gone without saying so.
  return start_there(
      {"lacuna", "attach", std::to_string(pid), "-o", fmt::format("attached-{}-%n.json.gz", pid), "--unwatched", "60s"},
      {});
}

FarServer::Outcome FarServer::start_there(std::vector<std::string> texts, const std::vector<std::string>& behind) {
  const Result<std::string> folder = log_folder();
  if (!folder) return tl::make_unexpected(folder.error());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string name =
      fmt::format("there-{}-{}", getpid(), std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  const Result<std::string> socket = share_path(name);
  if (!socket) return tl::make_unexpected(socket.error());
  const std::string log = *folder + "/" + name + ".log";
  Descriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output.is_open()) return fail(ErrorCode::kNotWritable, std::strerror(errno), log);
  texts.insert(texts.end(), {"--live", name});
  texts.insert(texts.end(), behind.begin(), behind.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const std::string home = path_there("");
  const pid_t pid = ::fork();  // there are other threads: until execv() only what may follow a signal, without memory
  if (pid == 0) {
    ::setsid();  // lives on when the line and this process do not
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(output.get(), STDERR_FILENO);
    if (::chdir(home.c_str()) == 0) ::execv("/proc/self/exe", arguments.data());
    ::_exit(126);
  }
  (void)output.close();
  if (pid < 0) return fail(ErrorCode::kLimit, std::strerror(errno));
  const auto until = std::chrono::steady_clock::now() + kStartPatience;
  // Its file is there a moment before somebody listens at it.
  while (!ShareSocket::connect(*socket)) {
    int status = 0;
    const bool has_ended = ::waitpid(pid, &status, WNOHANG) == pid;
    if (has_ended || std::chrono::steady_clock::now() > until || !pump(10)) {
      if (!has_ended) ::kill(pid, SIGINT);
      const std::string said = end_of_text(log, kMostLogLine);
      ::unlink(log.c_str());
      if (is_over_ || is_cancelled_) return tl::make_unexpected(not_wanted());
      return fail(ErrorCode::kUnsupported, said.empty() ? std::string("nothing was started") : said);
    }
  }
  return FieldWriter().text(*socket).text(log).number(static_cast<std::uint64_t>(pid)).take();
}

/// One recording that is watched for the other side.
class WatchedThere {
 public:
  WatchedThere(FarServer& server, FieldReader& fields) : server_(server) {
    name_ = fields.text();
    log_ = fields.text();
    log_at_ = fields.number();
    output_ = fields.text();
    at_ = fields.number();
    proof_bytes_ = fields.number();
    proof_ = fields.number();
    is_sane_ = fields.ok() && at_ < kRunningOffset && proof_bytes_ <= at_ && proof_bytes_ <= kWatchBlock;
  }

  FarServer::Outcome run() {
    if (!is_sane_) return fail(ErrorCode::kInvalidArgument, "a malformed request");
    Result<ShareSocket> socket = connect();
    if (!socket && !output_.empty()) return rest_of_output();
    if (!socket) return what_was_said(socket.error());
    socket_ = std::move(*socket);
    const Result<std::string> description = attach();
    if (!description) return what_was_said(description.error());
    if (at_ > 0 && !is_same(*file_)) return fail(ErrorCode::kUnsupported, "this is another recording");
    if (!server_.send(FrameKind::kAnswer, FieldWriter().number(1).text(*description).text(path_).bytes()))
      return tl::make_unexpected(server_.not_wanted());
    return follow();
  }

 private:
  Result<ShareSocket> connect() {
    std::string path = name_;
    if (name_.empty()) {
      const std::vector<std::string> found = shared_recordings();
      if (found.empty()) return fail(ErrorCode::kNotFound, "no recording to watch is running there");
      if (found.size() > 1) {
        std::string list = "several recordings are running there; choose one:";
        for (const std::string& one : found) list += " " + fs::path(one).stem().string();
        return fail(ErrorCode::kInvalidArgument, list);
      }
      path = found.front();
    } else {
      const Result<std::string> named = share_path(name_);
      if (!named) return tl::make_unexpected(named.error());
      path = *named;
    }
    path_ = path;
    return ShareSocket::connect(path);
  }

  /// A recording that was just started and is gone says in its log why.
  FarServer::Outcome what_was_said(const Error& error) {
    const bool may_say = at_ == 0 && !log_.empty();
    std::string said;
    // Its socket goes before it says so.
    for (int i = 0; may_say && said.empty() && i < kLastWordsTries && server_.pump(kWatchRoundMs); ++i)
      said = end_of_text(log_, kMostLogLine);
    return said.empty() ? tl::make_unexpected(error) : fail(ErrorCode::kUnsupported, said);
  }

  Result<std::string> attach() {
    if (socket_.send(encode_attach()) != ShareSocket::Sent::kYes)
      return fail(ErrorCode::kNotReadable, "the recording does not listen");
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kAttachMs);
    std::string message;
    int descriptor = -1;
    auto got = ShareSocket::Got::kNothing;
    while (got == ShareSocket::Got::kNothing && std::chrono::steady_clock::now() < until) {
      if (!server_.pump(kWatchRoundMs, socket_.descriptor())) return tl::make_unexpected(server_.not_wanted());
      got = socket_.receive(message, &descriptor);
    }
    file_ = std::make_unique<FileBytes>(Descriptor(descriptor));
    if (got != ShareSocket::Got::kMessage) return fail(ErrorCode::kNotReadable, "the recording does not answer");
    if (kind_of(message) == ShareKind::kRefusal) return fail(ErrorCode::kLimit, decode_text(message));
    if (kind_of(message) != ShareKind::kDescription || !file_->is_open())
      return fail(ErrorCode::kUnsupported, "not a recording of this version of Lacuna");
    return message;
  }

  bool is_same(const ByteSource& bytes) const {
    std::string start(proof_bytes_, '\0');
    start.resize(bytes.read_at(0, start));
    return start.size() == proof_bytes_ && Checksum::of(start) == proof_;
  }

  /// Sends what lies before `end`. False: nobody wants it.
  bool send_until(const ByteSource& bytes, std::uint64_t end) {
    std::string block(kWatchBlock, '\0');
    while (at_ < end) {
      const std::size_t size =
          bytes.read_at(at_, std::span(block).first(std::min<std::uint64_t>(kWatchBlock, end - at_)));
      if (size == 0) break;
      if (!server_.send(FrameKind::kData, packer_.pack(std::string_view(block).substr(0, size)))) return false;
      at_ += size;
      if (!server_.pump(0)) return false;
    }
    return true;
  }

  /// Whole lines that the program wrote; what is too much at once is left out, and that is said.
  void tell_log(bool is_last) {
    if (log_.empty()) return;
    const FileBytes log(open_for_reading(log_, LinkRule::kRefuse));
    const std::uint64_t size = log.is_open() ? log.size() : 0;
    if (size <= log_at_) return;
    if (size - log_at_ > kMostLogSent) {
      (void)server_.send(FrameKind::kText,
                         fmt::format("({} bytes of output are only in {} there)", size - log_at_ - kMostLogSent, log_));
      log_at_ = size - kMostLogSent;
    }
    std::string text(size - log_at_, '\0');
    text.resize(log.read_at(log_at_, text));
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos && !is_last && rest.size() < kMostLogLine) break;
      const std::string_view line = rest.substr(0, std::min(end, kMostLogLine));
      const std::size_t used = std::min(rest.size(), line.size() + (end == line.size() ? 1 : 0));
      rest.remove_prefix(used);
      log_at_ += used;
      (void)server_.send(FrameKind::kOut, FieldWriter().number(log_at_).text(line).bytes());
    }
  }

  FarServer::Outcome follow() {
    std::string message;
    std::string newest;
    ShareState state;
    ShareRunning unused;
    auto sent = std::chrono::steady_clock::time_point();
    bool is_there = true;
    while (is_there) {
      if (!server_.pump(kWatchRoundMs, newest.empty() ? socket_.descriptor() : -1))
        return tl::make_unexpected(server_.not_wanted());
      if (std::exchange(server_.stops_, false) && socket_.peer() > 0) ::kill(socket_.peer(), SIGINT);
      for (;;) {
        const ShareSocket::Got got = socket_.receive(message);
        is_there = got != ShareSocket::Got::kGone;
        if (got != ShareSocket::Got::kMessage) break;
        if (kind_of(message) == ShareKind::kText) (void)server_.send(FrameKind::kText, decode_text(message));
        if (kind_of(message) == ShareKind::kState) newest = message;
      }
      const auto now = std::chrono::steady_clock::now();
      if (newest.empty() || (now - sent < kStateEvery && is_there)) continue;
      sent = now;
      tell_log(!is_there);
      unused.clear();
      if (const auto decoded = decode_state(newest, unused)) state = *decoded;
      if (!send_until(*file_, state.readable)) return tl::make_unexpected(server_.not_wanted());
      (void)server_.send(FrameKind::kState, packer_.pack(newest));
      newest.clear();
    }
    if (!state.is_last && !send_until(*file_, file_->size())) return tl::make_unexpected(server_.not_wanted());
    tell_log(true);
    return FieldWriter().number(state.is_last ? 1 : 0).take();
  }

  /// The recording has ended while nobody watched: what was missed is in its file, compressed or not.
  FarServer::Outcome rest_of_output() {
    const Result<OpenedFile> output = open_file(output_, std::uint64_t{1} << 40, nullptr);
    if (!output) return tl::make_unexpected(output.error());
    if (!is_same(*output->bytes))
      return fail(ErrorCode::kNotFound, "the recording has ended, and its file is another by now", output_);
    if (!server_.send(FrameKind::kAnswer, FieldWriter().number(2).text({}).text({}).bytes()))
      return tl::make_unexpected(server_.not_wanted());
    if (!send_until(*output->bytes, kRunningOffset - 1)) return tl::make_unexpected(server_.not_wanted());
    tell_log(true);
    return FieldWriter().number(2).take();
  }

  FarServer& server_;
  std::string name_, path_, log_, output_;
  std::uint64_t log_at_ = 0, at_ = 0, proof_bytes_ = 0, proof_ = 0;
  bool is_sane_ = false;
  ShareSocket socket_;
  std::unique_ptr<FileBytes> file_;
  PackedWriter packer_;
};

FarServer::Outcome FarServer::watch_recording(FieldReader& fields) {
  return WatchedThere(*this, fields).run();
}

}  // namespace lacuna
