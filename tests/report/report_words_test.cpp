// Each verdict, each piece of advice and each degree of certainty, in whole sentences, as a report tells them.
// tests/fixtures/report_words.txt keeps them: after a change that is meant, LACUNA_RENEW=1 writes it anew; read the
// diff.

#include "model/report/report_words.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/report/advice.h"
#include "render/format.h"
#include "tests/support/paths.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// Two steps with a kernel, a copy and a collective each.
Trace small_steps() {
  TraceMaker make;
  for (int s = 0; s < 2; ++s) {
    const Nanos at = s * 1'000;
    make.thread("ProfilerStep#" + std::to_string(s), at, at + 1'000, "user_annotation");
    make.thread("aten::mm", at + 10, at + 100);
    make.launch("cudaLaunchKernel", at + 20, at + 30, static_cast<std::uint64_t>(s) + 1);
    make.kernel("ampere_sgemm", at + 100, at + 300, static_cast<std::uint64_t>(s) + 1);
    make.copy("Memcpy HtoD (Pageable -> Device)", at + 300, at + 350);
    make.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 400, at + 500, 0, "20");
  }
  return make.build();
}

std::string words_of(const Trace& trace, const Report& report) {
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  std::string text;
  for (const ReportSection& section : describe_report(trace, report, format)) {
    if (section.key != "summary" && section.key != "advice") continue;
    for (const ReportLine& line : section.lines) {
      text += fmt::format("  {} {}", static_cast<int>(line.tone), line.text);
      for (const ReportPlace& place : line.places)
        text += fmt::format(" [{}+{}]", place.span.begin, place.span.duration());
      text += '\n';
    }
  }
  return text;
}

/// The lines that `text` has beyond `plain`.
std::string news(const std::string& text, const std::string& plain) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);)
    if (("\n" + plain).find("\n" + line + "\n") == std::string::npos) found += line + "\n";
  return found;
}

std::string all_words() {
  const Trace trace = small_steps();
  const Report report = compute_report(trace, SourceId{0});
  const std::string plain = words_of(trace, report);
  std::string text = "As it is\n" + plain;
  const auto with = [&](const std::string& title, auto change) {
    Report changed = report;
    change(changed);
    text += title + "\n" + news(words_of(trace, changed), plain);
  };
  for (int b = 0; b <= static_cast<int>(Bound::kUnknown); ++b)
    with(fmt::format("Verdict: {}, without a cause", bound_name(static_cast<Bound>(b))), [&](Report& r) {
      r.devices[0].verdict = {};
      r.devices[0].verdict.bound = static_cast<Bound>(b);
      r.devices[0].verdict.time = 700;
      r.devices[0].verdict.of = r.use.wall;
    });
  for (const GapCause cause : all_gap_causes())
    for (const Nanos time : {Nanos{0}, Nanos{700}})
      with(fmt::format("Verdict: {} for {} ns", cause_key(cause), time), [&](Report& r) {
        r.devices[0].by_cause = {};
        r.devices[0].by_cause[static_cast<std::size_t>(cause)] = time;
        r.devices[0].verdict.cause = cause;
        r.devices[0].verdict.time = time;
        r.devices[0].verdict.of = r.use.wall;
      });
  for (const Nanos next : {69, 70})  // of 700 idle: from a tenth on it is told
    with(fmt::format("Next: {} ns", next), [&](Report& r) {
      r.devices[0].by_cause = {};
      r.devices[0].idle = 700;
      r.devices[0].by_cause[static_cast<std::size_t>(GapCause::kLaunchBound)] = 500;
      r.devices[0].by_cause[static_cast<std::size_t>(GapCause::kSynchronisation)] = next;
      r.devices[0].verdict.cause = GapCause::kLaunchBound;
      r.devices[0].verdict.time = 500;
    });
  for (int level = 0; level < 3; ++level)
    with(fmt::format("How sure: {}", level), [&](Report& r) {
      r.confidence.level = static_cast<Confidence::Level>(level);
      r.confidence.in_order = level == 0 ? 1 : 0.75;
      r.confidence.measured_steps = static_cast<std::size_t>(level);
      r.devices[0].confidence = r.confidence;
      r.missing.launch_calls = static_cast<std::uint64_t>(level);
    });
  for (const Nanos before : {19, 20, 21})  // of 2000: from a hundredth on it is told
    with(fmt::format("Before the recording: {} ns", before),
         [&](Report& r) { r.missing.unlinked_at_start_busy = before * r.use.wall / 2000; });
  with("Stacks", [](Report& r) { r.missing.has_stacks = true; });
  with("Launches", [](Report& r) { r.launch = {.launches = 1}; });
  with("Launches of graphs",
       [](Report& r) { r.launch = {.launches = 4, .graphs = 1, .short_ones = 1, .median_period = 5}; });
  for (std::size_t rule = 0; rule < advice_rules().size(); ++rule)
    for (const int gain : {-1, 0, 1, 300})
      with(fmt::format("Advice {}, gain {}", advice_rules()[rule].key, gain), [&](Report& r) {
        AdviceGiven given;
        given.rule = static_cast<std::uint8_t>(rule);
        if (gain >= 0) given.gain = gain;
        given.replayed = 2'000;
        given.held_by_gpu = rule % 2 == 0;
        if (advice_rules()[rule].idle_for)
          r.devices[0].by_cause[static_cast<std::size_t>(*advice_rules()[rule].idle_for)] = 1'500;
        r.advice = {given};
      });
  for (const Nanos lost : {600, 601})  // of 2000: beyond three tenths a small gain is called small
    for (const Nanos gain : {119, 120, 121})
      with(fmt::format("A gain of {} ns of {} ns lost", gain, lost), [&](Report& r) {
        AdviceGiven given;
        given.gain = gain;
        given.replayed = 2'000;
        r.use.wall = r.devices[0].use.wall = 2'000;
        r.devices[0].by_cause[static_cast<std::size_t>(GapCause::kLaunchBound)] = lost;
        r.advice = {given};
      });
  for (const std::size_t cores : {0, 1, 6})
    for (const bool is_outside : {false, true})
      with(fmt::format("Too many threads for {} cores, {}", cores, is_outside ? "from outside" : "recorded"),
           [&](Report& r) {
             AdviceGiven given;
             while (advice_rules()[given.rule].key != "tooManyThreads") ++given.rule;
             r.cpu.limits.cores = cores;
             r.cpu.active_threads = 7;
             r.program.is_known = is_outside;
             r.program.limits.cores = cores;
             r.program.limits.quota_cores = static_cast<double>(cores) * 0.75;
             r.program.active_count = 9;
             r.advice = {given};
           });
  with("No advice", [](Report& r) { r.advice.clear(); });
  return text;
}

}  // namespace

TEST_CASE("verdicts and advice are told in the words that are kept") {
  const std::string path = source_folder() + "/tests/fixtures/report_words.txt";
  const std::string words = all_words();
  if (std::getenv("LACUNA_RENEW") != nullptr) std::ofstream(path) << words;
  std::stringstream kept;
  kept << std::ifstream(path).rdbuf();
  std::istringstream is_lines(words), kept_lines(kept.str());
  std::string is, was;
  while (std::getline(kept_lines, was)) {
    is.clear();
    std::getline(is_lines, is);
    REQUIRE(is == was);
  }
  CHECK_FALSE(std::getline(is_lines, is));
}
