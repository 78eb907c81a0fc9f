#include "app/gui/models/files/far_jobs.h"

#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "capture/remote/fields.h"

namespace lacuna {
namespace {

using JobsJson = nlohmann::json;

constexpr std::size_t kMostOutput = std::size_t{4} << 20;
constexpr std::size_t kMostSaid = 2000;
constexpr std::size_t kMostFarJobs = 10'000;

std::string text_of(const JobsJson& job, const char* key) {
  const auto found = job.find(key);
  return found != job.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of(const JobsJson& job, const char* key) {
  const auto found = job.find(key);
  return found != job.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
}

bool is_set(const JobsJson& job, const char* key) {
  const auto found = job.find(key);
  return found != job.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

Result<std::string> run_there(FarSide& far, const std::vector<std::string>& words, const std::atomic<bool>* cancel) {
  FieldWriter request;
  put(request, words);
  request.number(0);
  std::string out, said;
  const auto take = [&](const Frame& frame) -> Result<void> {
    if (frame.kind == FrameKind::kOut && out.size() + frame.payload.size() > kMostOutput)
      return fail(ErrorCode::kLimit, "the output exceeds the size limit");
    if (frame.kind == FrameKind::kOut) out += frame.payload;
    if (frame.kind == FrameKind::kErr) said = (said + frame.payload).substr(0, kMostSaid);
    return {};
  };
  const Result<std::string> done = far.ask(RemoteVerb::kRun, request.take(), {take, {}}, cancel);
  if (!done) return tl::make_unexpected(done.error());
  if (FieldReader(*done).number() != 0 && out.empty())
    return fail(ErrorCode::kUnsupported, said.empty() ? std::string("it failed without an error message") : said,
                far.place().name());
  return out;
}

Result<std::vector<FarJob>> parse_far_jobs(const std::string& text) {
  const JobsJson json = parse_json(text);
  const auto jobs = json.is_object() ? json.find("jobs") : json.end();
  const auto recordings = json.is_object() ? json.find("recordings") : json.end();
  if (jobs == json.end() || !jobs->is_array() || jobs->size() > kMostFarJobs || recordings == json.end() ||
      !recordings->is_array() || recordings->size() > kMostFarJobs)
    return fail(ErrorCode::kUnsupported, "the list of jobs that it sent cannot be read");
  std::vector<FarJob> found;
  for (const JobsJson& socket : *recordings) {
    if (!socket.is_string()) continue;
    FarJob job;
    job.kind = "recording";
    job.recording = socket.get<std::string>();
    job.command = job.recording.substr(job.recording.rfind('/') + 1);
    job.command = job.command.substr(0, job.command.rfind('.'));
    job.may_attach = true;
    found.push_back(std::move(job));
  }
  for (const JobsJson& one : *jobs) {
    const std::int64_t pid = one.is_object() ? number_of(one, "pid") : -1;
    if (pid <= 0 || pid > 0x7fffffff || is_set(one, "launcher")) continue;
    FarJob job;
    job.pid = static_cast<int>(pid);
    const bool is_dormant = is_set(one, "dormant");
    const bool is_kineto = is_set(one, "kineto");
    job.kind = is_kineto && is_dormant ? "Kineto, dormant" : is_dormant ? "dormant" : "Kineto";
    if (const std::int64_t rank = number_of(one, "rank"); rank >= 0) job.rank = std::to_string(rank);
    job.state = text_of(one, "state");
    job.command = text_of(one, "command");
    const bool is_watched = number_of(one, "watcher") > 0;
    job.may_attach = is_dormant && !is_watched;
    job.may_request = (is_dormant && !is_watched) || (is_kineto && job.state != "silent");
    found.push_back(std::move(job));
  }
  return found;
}

Result<std::vector<FarJob>> list_far_jobs(FarSide& far, const std::atomic<bool>* cancel) {
  const Result<std::string> text = run_there(far, {"jobs", "--json"}, cancel);
  if (!text) return tl::make_unexpected(text.error());
  Result<std::vector<FarJob>> jobs = parse_far_jobs(*text);
  if (!jobs) jobs.error().file = far.place().name();
  return jobs;
}

}  // namespace lacuna
