#include "capture/metrics/gpu_counters.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "capture/metrics/pm_library.h"
#include "capture/metrics/pm_worker.h"
#include "capture/wire/clock.h"
#include "model/trace/hardware_tracks.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kStartNs = 20'000'000'000;  // a driver may take seconds to start, with eight GPUs
constexpr std::uint64_t kSilenceNs = 5'000'000'000;
constexpr int kAskMs = 10'000;
constexpr int kReadMs = 100;
constexpr std::size_t kMostBytesOfLine = 4096;
constexpr std::size_t kReadBytes = 64 << 10;

/// What would make the driver load a collector into the process that samples, and what hides or renumbers GPUs.
constexpr std::string_view kNotForWorker[] = {"CUDA_INJECTION64_PATH=", "NVTX_INJECTION64_PATH=", "LACUNA_DORMANT=",
                                              "LACUNA_SOCKET=",         "CUDA_VISIBLE_DEVICES=",  "CUDA_DEVICE_ORDER="};

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return text.empty() || text.starts_with(' ');
}

std::string without_newlines(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

/// One process, and what it said.
struct GpuCounters::Worker {
  CountedGpu gpu;
  std::optional<Launcher> process;
  int input = -1, output = -1;
  std::string unread;
  std::vector<std::size_t> metrics;
  bool has_reported_metrics = false;
  std::string chip;     // and the library
  std::string refusal;  // why there is nothing, or no more
  std::uint64_t losses = 0;
  std::uint64_t heard = 0;  // when
  bool has_ended = false;   // as it should
  bool is_reported = false;

  ~Worker() {
    close_input();
    close_output();
    if (process && !process->poll_exit()) {
      process->send(SIGKILL);
      // One that the driver holds stays as it is.
      for (int i = 0; i < 20 && !process->poll_exit(); ++i) ::usleep(1000);
    }
  }
  void close_input() {
    if (input >= 0) ::close(std::exchange(input, -1));
  }
  void close_output() {
    if (output >= 0) ::close(std::exchange(output, -1));
  }
  bool is_open() const { return output >= 0; }

  void start(const std::vector<std::string>& arguments) {
    heard = wire::monotonic_ns();
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error || !program.filename().string().starts_with("lacuna")) {
      refusal = "only the lacuna program samples them";
      return;
    }
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool has_pipes = null >= 0 && ::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0;
    if (has_pipes) {
      LaunchOptions launch;
      launch.arguments = {"/proc/self/exe", std::string(kSampleGpuCommand)};
      launch.arguments.insert(launch.arguments.end(), arguments.begin(), arguments.end());
      launch.inherited = own_environment();
      std::erase_if(launch.inherited, [](const std::string& variable) {
        return std::ranges::any_of(kNotForWorker, [&](std::string_view name) { return variable.starts_with(name); });
      });
      launch.set = {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},  // NVML's
                    {"CUDA_VISIBLE_DEVICES", gpu.uuid.empty() ? std::to_string(gpu.index) : gpu.uuid}};
      launch.input = in[0];
      launch.output = out[1];
      launch.errors = null;
      launch.own_group = true;
      Result<Launcher> started = Launcher::start(launch);
      if (started)
        process.emplace(std::move(*started));
      else
        refusal = started.error().message();
      input = std::exchange(in[1], -1);
      output = std::exchange(out[0], -1);
      ::fcntl(output, F_SETFL, O_NONBLOCK);
      if (!process) close_output();
    } else {
      refusal = std::generic_category().message(errno);
    }
    for (const int descriptor : {null, in[0], in[1], out[0], out[1]})
      if (descriptor >= 0) ::close(descriptor);
  }

  /// Takes what is there.
  void read(MetricLanes& lanes) {
    std::string bytes(kReadBytes, '\0');
    for (;;) {
      const ssize_t got = ::read(output, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return close_output();
      heard = wire::monotonic_ns();
      unread.append(bytes, 0, static_cast<std::size_t>(got));
      std::size_t at = 0;
      for (std::size_t end; (end = unread.find('\n', at)) != std::string::npos; at = end + 1)
        take_line(std::string_view(unread).substr(at, end - at), lanes);
      unread.erase(0, at);
      if (unread.size() > kMostBytesOfLine) unread.clear();
    }
  }

  void take_line(std::string_view line, MetricLanes& lanes) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    std::string_view rest = line.substr(std::min(space + 1, line.size()));
    if (word == "s") {
      take_sample(rest, lanes);
    } else if (word == "lost") {
      take_number(rest, losses);
    } else if (word == "chip") {
      chip = rest;
    } else if (word == "has") {
      has_reported_metrics = true;
      for (std::size_t metric = 0; !rest.empty() && take_number(rest, metric);)
        if (metric < kPmMetricCount && metrics.size() < kPmMetricCount) metrics.push_back(metric);
    } else if (word == "no") {
      refusal = rest;
    } else if (word == "end") {
      has_ended = true;
    }
  }

  void take_sample(std::string_view rest, MetricLanes& lanes) const {
    std::uint64_t time = 0;
    if (!take_number(rest, time)) return;
    for (const std::size_t metric : metrics) {
      double value = 0;
      if (!take_number(rest, value)) return;
      lanes.add(time, kHardwarePid + gpu.index, kPmMetrics[metric].counter,
                fmt::format("\"{}\":{:.1f}", kPmMetrics[metric].series, std::clamp(value, 0.0, 1e6)));
    }
  }

  /// Gives up one that does not answer.
  void look_at_clock() {
    if (!is_open() || wire::monotonic_ns() - heard < (has_reported_metrics ? kSilenceNs : kStartNs)) return;
    refusal = "NVIDIA's driver does not answer";
    process->send(SIGKILL);
    close_output();
  }

  /// Why there is nothing, or no more; empty: there was no trouble.
  std::string trouble() {
    if (!refusal.empty()) return without_newlines(refusal);
    if (has_ended) return {};
    if (is_open()) return has_reported_metrics ? "" : "NVIDIA's driver had not answered when the recording ended";
    for (int i = 0; i < 50 && !process->poll_exit(); ++i) ::usleep(1000);
    const auto exit = process->poll_exit();
    return fmt::format("the process that samples them {}", exit ? exit->in_words() : "no longer responds");
  }
};

GpuCounters::GpuCounters(std::vector<CountedGpu> gpus, unsigned per_second) {
  for (CountedGpu& gpu : gpus) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->gpu = std::move(gpu);
    workers_.back()->start({"--rate", std::to_string(per_second)});
  }
}

GpuCounters::~GpuCounters() = default;

bool GpuCounters::wait(int milliseconds, MetricLanes& lanes) {
  std::vector<pollfd> polled;
  for (const auto& worker : workers_)
    if (worker->is_open()) polled.push_back({worker->output, POLLIN, 0});
  if (polled.empty()) return false;
  ::poll(polled.data(), polled.size(), milliseconds);
  for (const auto& worker : workers_)
    if (worker->is_open()) worker->read(lanes);
  return true;
}

bool GpuCounters::read(MetricLanes& lanes, std::vector<std::string>& messages) {
  const bool goes_on = wait(kReadMs, lanes);
  for (const auto& worker : workers_) worker->look_at_clock();
  tell(messages);
  return goes_on;
}

void GpuCounters::tell(std::vector<std::string>& messages) {
  // GPUs with the same trouble are told of in one sentence.
  std::map<std::string, std::string> troubles;
  const auto gather = [&](Worker& worker, const std::string& words) {
    std::string& gpus = troubles[words];
    gpus += fmt::format("{}{}", gpus.empty() ? "" : ", ", worker.gpu.index);
    worker.is_reported = true;
  };
  if (std::ranges::any_of(workers_,
                          [](const auto& worker) { return worker->is_open() && !worker->has_reported_metrics; }))
    return;  // which may say the same
  for (const auto& worker : workers_) {
    if (worker->is_reported || worker->is_open()) continue;
    if (const std::string trouble = worker->trouble(); !trouble.empty())
      gather(*worker, fmt::format("{} counters: {}", worker->has_reported_metrics ? "no more GPU" : "no GPU", trouble));
  }
  for (const auto& [words, gpus] : troubles) messages.push_back(fmt::format("GPU {}: {}", gpus, words));
}

void GpuCounters::finish(int milliseconds, MetricLanes& lanes, std::vector<std::string>& messages) {
  for (const auto& worker : workers_) worker->close_input();
  const std::uint64_t until = wire::monotonic_ns() + static_cast<std::uint64_t>(milliseconds) * 1'000'000;
  for (std::uint64_t now = wire::monotonic_ns(); now < until; now = wire::monotonic_ns())
    if (!wait(static_cast<int>((until - now) / 1'000'000) + 1, lanes)) break;
  for (const auto& worker : workers_) {
    if (worker->is_open() && !worker->is_reported) {
      const std::string trouble = worker->trouble();
      worker->is_reported = true;
      if (!trouble.empty()) messages.push_back(fmt::format("GPU {}: no GPU counters: {}", worker->gpu.index, trouble));
    }
    if (worker->losses > 0)
      messages.push_back(
          fmt::format("GPU {}: some counters are missing: samples were lost {} times; --gpu-counters with a "
                      "lower rate loses less",
                      worker->gpu.index, worker->losses));
    std::string lacking;
    for (std::size_t i = 0; worker->has_reported_metrics && i < kPmMetricCount; ++i)
      if (std::ranges::find(worker->metrics, i) == worker->metrics.end())
        lacking += fmt::format("{}{}", lacking.empty() ? "" : ", ", kPmMetrics[i].counter);
    if (!lacking.empty())
      messages.push_back(fmt::format("GPU {} ({}) does not count with the rest: {}", worker->gpu.index,
                                     worker->chip.substr(0, worker->chip.find(' ')), lacking));
  }
  tell(messages);
}

GpuCounters::Answer GpuCounters::ask(const CountedGpu& gpu) {
  GpuCounters counters({}, 0);
  counters.workers_.push_back(std::make_unique<Worker>());
  Worker& worker = *counters.workers_.back();
  worker.gpu = gpu;
  worker.start({"--ask"});
  MetricLanes lanes;
  for (int waited = 0; waited < kAskMs && counters.wait(kReadMs, lanes); waited += kReadMs) {
  }
  if (worker.is_open()) return {false, "NVIDIA's driver does not answer within 10 s"};
  if (const std::string trouble = worker.trouble(); !trouble.empty()) return {false, trouble};
  std::string names;
  for (const std::size_t metric : worker.metrics)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kPmMetrics[metric].counter);
  const std::string chip = worker.chip.substr(0, worker.chip.find(' '));
  return {true, fmt::format("of a {}: {}", chip, names)};
}

}  // namespace lacuna
