#include "app/gui/models/live/launch_form.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "app/gui/core/folder_list.h"
#include "model/base/shell_words.h"

namespace lacuna {
namespace {

using FormJson = nlohmann::json;

constexpr double kMostSeconds = 1e7;
constexpr double kMostGigabytes = 1e5;
constexpr int kMostSteps = 1'000'000'000;

Result<LivePlan> wrong(std::string cause) {
  return fail(ErrorCode::kInvalidArgument, std::move(cause));
}

}  // namespace

Result<LivePlan> plan_of(const LaunchForm& form) {
  LivePlan plan;
  Result<std::vector<std::string>> words = split_words(form.command);
  if (!words) return wrong("Command: " + words.error().cause);
  if (words->empty() || words->front().empty()) return wrong("Command: nothing to launch");
  plan.arguments = std::move(*words);
  plan.directory = expand_home(form.directory);
  std::error_code error;
  if (!plan.directory.empty() && !std::filesystem::is_directory(plan.directory, error))
    return wrong("Folder: there is no folder " + plan.directory);
  Result<std::vector<std::string>> variables = split_words(form.environment);
  if (!variables) return wrong("Environment: " + variables.error().cause);
  for (const std::string& variable : *variables) {
    const std::size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos) return wrong("Environment: '" + variable + "' is not NAME=value");
    plan.variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  plan.nvtx = form.nvtx;
  plan.cuda = form.cuda;
  plan.torch = form.torch;
  plan.shapes = form.shapes;
  plan.allocator = form.allocations && form.torch;  // told by the same hook
  plan.sampling.stacks = form.stacks;
  plan.sampling.switches = form.states;
  plan.metrics.gpus = plan.metrics.host = form.metrics;
  if (form.metrics && form.counters) plan.metrics.counters_per_second = kUsualCounters;
  for (const int steps : {form.wait, form.warmup, form.active, form.repeat})
    if (steps < 0 || steps > kMostSteps) return wrong("Steps: not a valid number of steps");
  if (form.active == 0 && (form.wait > 0 || form.warmup > 0 || form.repeat > 0))
    return wrong("Steps: how many are to be kept (active)?");
  const auto count = [](int steps) { return static_cast<std::uint32_t>(steps); };
  plan.schedule = {count(form.wait), count(form.warmup), count(form.active), count(form.repeat)};
  const double most = form.keep == LaunchForm::Keep::kSeconds ? kMostSeconds : kMostGigabytes;
  if (form.keep != LaunchForm::Keep::kEverything && !(form.limit > 0 && form.limit <= most))
    return wrong("Keep: not a valid limit");
  if (form.keep == LaunchForm::Keep::kSeconds) plan.keep.last_ns = static_cast<Nanos>(form.limit * 1e9);
  if (form.keep == LaunchForm::Keep::kGigabytes) plan.keep.memory_bytes = static_cast<std::uint64_t>(form.limit * 1e9);
  return plan;
}

LaunchForm form_of(const LivePlan& plan) {
  LaunchForm form;
  form.command = join_words(plan.arguments);
  form.directory = plan.directory;
  std::vector<std::string> variables;
  for (const auto& [name, value] : plan.variables) variables.push_back(name + "=" + value);
  form.environment = join_words(variables);
  form.nvtx = plan.nvtx;
  form.cuda = plan.cuda;
  form.torch = plan.torch;
  form.shapes = plan.shapes;
  form.allocations = plan.allocator;
  form.stacks = plan.sampling.stacks;
  form.states = plan.sampling.switches;
  form.metrics = plan.metrics.is_set();
  form.counters = plan.metrics.counters_per_second > 0;
  const auto count = [](std::uint32_t steps) { return static_cast<int>(std::min<std::uint32_t>(steps, kMostSteps)); };
  form.wait = count(plan.schedule.wait);
  form.warmup = count(plan.schedule.warmup);
  form.active = count(plan.schedule.active);
  form.repeat = count(plan.schedule.repeat);
  if (plan.keep.last_ns > 0) {
    form.keep = LaunchForm::Keep::kSeconds;
    form.limit = static_cast<double>(plan.keep.last_ns) / 1e9;
  } else if (plan.keep.memory_bytes > 0) {
    form.keep = LaunchForm::Keep::kGigabytes;
    form.limit = static_cast<double>(plan.keep.memory_bytes) / 1e9;
  }
  return form;
}

void remember_launch(std::vector<LaunchForm>& launches, const LaunchForm& form) {
  std::erase_if(launches, [&](const LaunchForm& known) { return known.command == form.command; });
  launches.insert(launches.begin(), form);
  if (launches.size() > kMostLaunches) launches.resize(kMostLaunches);
}

std::string format_launch(const LaunchForm& f) {
  const FormJson json = {{"command", f.command},
                         {"directory", f.directory},
                         {"environment", f.environment},
                         {"nvtx", f.nvtx},
                         {"cuda", f.cuda},
                         {"torch", f.torch},
                         {"shapes", f.shapes},
                         {"allocations", f.allocations},
                         {"stacks", f.stacks},
                         {"states", f.states},
                         {"metrics", f.metrics},
                         {"counters", f.counters},
                         {"wait", f.wait},
                         {"warmup", f.warmup},
                         {"active", f.active},
                         {"repeat", f.repeat},
                         {"keep", f.keep == LaunchForm::Keep::kSeconds     ? "seconds"
                                  : f.keep == LaunchForm::Keep::kGigabytes ? "gigabytes"
                                                                           : "everything"},
                         {"limit", f.limit}};
  return json.dump(-1, ' ', false, FormJson::error_handler_t::replace);
}

LaunchForm parse_launch(const std::string& text) {
  LaunchForm form;
  const FormJson json = parse_json(text);
  if (!json.is_object()) return form;
  const auto read_text = [&](const char* key, std::string& out) {
    if (const auto found = json.find(key); found != json.end() && found->is_string()) out = found->get<std::string>();
  };
  const auto read_flag = [&](const char* key, bool& out) {
    if (const auto found = json.find(key); found != json.end() && found->is_boolean()) out = found->get<bool>();
  };
  const auto read_count = [&](const char* key, int& out) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number()) return;
    const double value = found->get<double>();
    if (value >= 0 && value <= kMostSteps) out = static_cast<int>(value);
  };
  read_text("command", form.command);
  read_text("directory", form.directory);
  read_text("environment", form.environment);
  read_flag("nvtx", form.nvtx);
  read_flag("cuda", form.cuda);
  read_flag("torch", form.torch);
  read_flag("shapes", form.shapes);
  read_flag("allocations", form.allocations);
  read_flag("stacks", form.stacks);
  read_flag("states", form.states);
  read_flag("metrics", form.metrics);
  read_flag("counters", form.counters);
  read_count("wait", form.wait);
  read_count("warmup", form.warmup);
  read_count("active", form.active);
  read_count("repeat", form.repeat);
  std::string keep;
  read_text("keep", keep);
  form.keep = keep == "seconds"     ? LaunchForm::Keep::kSeconds
              : keep == "gigabytes" ? LaunchForm::Keep::kGigabytes
                                    : LaunchForm::Keep::kEverything;
  if (const auto found = json.find("limit"); found != json.end() && found->is_number()) {
    const double value = found->get<double>();
    if (std::isfinite(value) && value > 0 && value <= kMostSeconds) form.limit = value;
  }
  return form;
}

}  // namespace lacuna
