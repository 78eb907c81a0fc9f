#include "app/cli/load_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <CLI/CLI.hpp>

#include "app/cli/option_values.h"
#include "model/base/ascii.h"

namespace lacuna {

std::uint64_t parse_byte_size(const std::string& text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number <= 0) return 0;
  std::string unit = to_lower(std::string_view(rest, text.data() + text.size()));
  if (unit.ends_with("ib"))
    unit.resize(unit.size() - 2);
  else if (unit.ends_with("b"))
    unit.pop_back();
  constexpr std::string_view kUnits = "kmgt";
  double factor = 1;
  if (!unit.empty()) {
    const auto power = kUnits.find(unit.front());
    if (unit.size() > 1 || power == std::string_view::npos) return 0;
    factor = std::pow(1024.0, static_cast<double>(power) + 1);
  }
  const double bytes = number * factor;
  return bytes >= 1 && bytes < 9e18 ? static_cast<std::uint64_t>(bytes) : 0;
}

namespace {

const std::map<std::string, FileClocks> kClocks = {
    {"files", FileClocks::kFiles}, {"raw", FileClocks::kRaw}, {"collectives", FileClocks::kGiven}};

}  // namespace

void LoadOptions::add_to(CLI::App& command, bool needs_traces) {
  command.add_option("TRACE", paths, "Trace files; folders; quoted patterns; side by side")
      ->required(needs_traces)
      ->type_name("");
  add_options_to(command);
}

void LoadOptions::add_options_to(CLI::App& command) {
  import.use_cache = true;
  command.add_flag_callback(
      "--no-cache", [this] { import.use_cache = false; },
      "Read the trace anew, and keep nothing to open it faster next time");
  command.add_option("--threads", import.threads, "Threads that read the trace; 0 = one per core")
      ->check(is_thread_count)
      ->type_name("N");
  command
      .add_option("--skip-category", import.skip_categories,
                  "Leave out a category (python_function); lists and repeats add up")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      .add_option("--steps-from", import.steps_from,
                  "Steps are annotations of this name, * any text: 'iteration *'; or 'engine annotation'")
      ->type_name("PATTERN");
  command
      .add_option("--requests", import.requests,
                  "Requests of the server: OpenTelemetry JSON (else TRACE.otel.json, requests.json)")
      ->type_name("FILE");
  command.add_flag("--times-ns", import.times_in_ns,
                   "ts and dur in the file are nanoseconds, not microseconds as the format has it");
  command
      .add_option_function<std::string>(
          "--clock", [this](const std::string& name) { import.clocks = kClocks.at(name); },
          "How several files share one time axis: files (as they say), raw, or by collectives' ends")
      ->check(CLI::IsMember({"files", "raw", "collectives"}))
      ->type_name("HOW");
  command
      .add_option_function<std::string>(
          "--max-bytes", [this](const std::string& text) { import.max_json_bytes = parse_byte_size(text); },
          "Most bytes to decompress from one file (default: 64G)")
      ->check([](const std::string& text) {
        return parse_byte_size(text) != 0 ? std::string{} : "'" + text + "' is not a size, like 200M or 64G";
      })
      ->type_name("SIZE");
}

}  // namespace lacuna
