#include "model/report/report_cards.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/plural.h"
#include "model/report/advice.h"
#include "model/report/headline.h"

namespace lacuna {
namespace {

using Picture = ReportCard::Picture;

constexpr std::size_t kMostRows = 3;

class CardMaker {
 public:
  CardMaker(const Trace& trace, const Report& report, const ReportFormat& format)
      : trace_(trace), report_(report), f_(format) {}

  std::vector<ReportCard> make() {
    verdict();
    changes();
    steps();
    phases();
    kernel_classes();
    if (report_.devices.empty()) operators();
    copies();
    memory();
    return std::move(cards_);
  }

 private:
  ReportCard& open(std::string_view section, std::string_view title, Picture picture) {
    ReportCard& card = cards_.emplace_back();
    card.section = section;
    card.title = title;
    card.picture = picture;
    return card;
  }
  ReportPlace place_of(SliceId slice) const {
    return slice.valid() ? ReportPlace{trace_.span(slice), slice} : ReportPlace{{0, 0}, {}};
  }
  std::string share_text(std::string_view name, Nanos time, Nanos whole) const {
    return fmt::format("{}: {} ({})", name, f_.duration(time), f_.percent(TimeUse::part(time, whole)));
  }

  std::string counted_steps(std::uint64_t n) const { return f_.count(n) + " " + noun_after(n, "step"); }

  void verdict() {
    const Nanos window = report_.window.duration();
    if (window == 0) return;
    ReportCard& card = open("summary", "Verdict", Picture::kStack);
    const DeviceReport* gpu = report_.most_idle();
    card.caption = bound_name(gpu == nullptr ? report_.bound : gpu->verdict.bound);
    if (report_.devices.size() > 1) card.title += fmt::format(" on GPU {}", trace_.text(gpu->device));
    if (gpu == nullptr) {
      std::vector<TimePart> parts = time_parts(report_);
      std::erase_if(parts, [](const TimePart& part) { return part.time == 0; });
      for (const TimePart& part : parts)
        card.parts.push_back(
            {share_text(part.name, part.time, window), TimeUse::part(part.time, window), {report_.window, {}}});
      const auto most = std::ranges::max_element(parts, {}, &TimePart::time);
      card.number = most == parts.end()
                        ? f_.duration(window)
                        : fmt::format("{} {}", f_.percent(TimeUse::part(most->time, window)), most->name);
      return;
    }
    const double idle = TimeUse::part(gpu->idle, window);
    card.number = gpu->verdict.cause ? fmt::format("{} idle", f_.percent(idle))
                                     : fmt::format("{} busy", f_.percent(TimeUse::part(gpu->busy, window)));
    card.caption += fmt::format(": {} of {}", f_.duration(gpu->verdict.time), f_.duration(window));
    for (const Headline::Part& part : parts_of_window(*gpu)) {
      ReportCard::Part& shown = card.parts.emplace_back();
      shown.text = fmt::format("{}{}", part.cause ? "idle for " : "", share_text(part.name, part.time, window));
      shown.size = TimeUse::part(part.time, window);
      shown.place = part.cause ? place_of_gap(*gpu, *part.cause) : ReportPlace{report_.window, {}};
      shown.work = part.work;
      shown.cause = part.cause;
    }
    if (gpu->verdict.cause) {
      card.place = place_of_gap(*gpu, *gpu->verdict.cause);
    } else if (!report_.classes.empty()) {
      card.place = place_of(report_.classes.front().longest);
    }
  }

  static ReportPlace place_of_gap(const DeviceReport& gpu, GapCause cause) {
    const Gap& longest = gpu.longest[static_cast<std::size_t>(cause)];
    return {{longest.start, longest.end}, longest.after};
  }

  void changes() {
    std::vector<const AdviceGiven*> given;
    for (const AdviceGiven& advice : report_.advice)
      if (advice.gain && *advice.gain > 0 && given.size() < kMostRows) given.push_back(&advice);
    if (given.empty()) return;
    ReportCard& card = open("advice", "What to change", Picture::kRows);
    const AdviceGiven& first = *given.front();
    card.number = fmt::format("{} of {} to gain", f_.duration(*first.gain), f_.duration(first.replayed));
    card.caption = first_sentence(advice_rules()[first.rule].text);
    for (const AdviceGiven* advice : given)
      card.parts.push_back(
          {fmt::format("{}. Gains {}.", first_sentence(advice_rules()[advice->rule].text), share_of_replay(*advice)),
           TimeUse::part(*advice->gain, advice->replayed),
           advice->places.empty() ? ReportPlace{{0, 0}, {}} : advice->places.front()});
    card.place = card.parts.front().place;
  }

  std::string share_of_replay(const AdviceGiven& advice) const {
    return fmt::format("{} of {} ({})", f_.duration(*advice.gain), f_.duration(advice.replayed),
                       f_.percent(TimeUse::part(*advice.gain, advice.replayed)));
  }

  void phases() {
    const StepPhases& of = report_.phases;
    if (of.empty()) return;
    Nanos length = 0;
    for (const PhaseTimes& phase : of.phases) length = saturating_add(length, phase.length);
    const PhaseTimes& longest = *std::ranges::max_element(of.phases, {}, &PhaseTimes::length);
    ReportCard& card = open("phases", "Phases", Picture::kRows);
    card.number =
        fmt::format("{} {}", f_.percent(TimeUse::part(longest.length, length)), step_phase_key(longest.phase));
    const PhaseTimes* most = of.loses_most();
    card.caption =
        most != nullptr
            ? fmt::format("{} leaves most GPU time unused: {}", step_phase_key(most->phase), f_.duration(most->lost()))
            : fmt::format("the median of its {}: {}", counted_steps(longest.steps), f_.duration(longest.median));
    card.place = place_of(most != nullptr ? most->longest : longest.longest);
    for (const PhaseTimes& phase : of.phases)
      card.parts.push_back(
          {fmt::format("{}: {}, median {}, GPU busy {}", step_phase_key(phase.phase), counted_steps(phase.steps),
                       f_.duration(phase.median), f_.percent(TimeUse::part(phase.busy, phase.length))),
           TimeUse::part(phase.length, length), place_of(phase.longest)});
  }

  void steps() {
    const MeasuredSteps& steps = report_.steps;
    if (!steps.has_steps()) return;
    const std::size_t count = steps.steps.size() - steps.warm_up_count;
    const MeasuredStep& longest =
        *std::ranges::max_element(steps.steps.begin() + static_cast<std::ptrdiff_t>(steps.warm_up_count),
                                  steps.steps.end(), {}, &MeasuredStep::length);
    ReportCard& card = open("steps", "Steps", Picture::kColumns);
    card.number = fmt::format("{} a step", f_.duration(steps.median()));
    card.caption =
        count == 1 ? fmt::format("{} alone", trace_.text(longest.name))
                   : fmt::format("the median of {}; the longest {}", f_.count(count), f_.duration(longest.length()));
    card.place = {longest.paced, longest.annotation};
    std::vector<double> lengths;
    for (const MeasuredStep& step : steps.steps) lengths.push_back(static_cast<double>(step.length()));
    columns(card, lengths, [&](std::size_t first, std::size_t highest, std::size_t last) {
      const MeasuredStep& step = steps.steps[highest];
      std::string text = fmt::format("{}: {}{}", trace_.text(step.name), f_.duration(step.length()),
                                     step.is_warm_up ? ", warm-up" : "");
      if (last - first > 1) text += fmt::format(", the longest of {}", last - first);
      return ReportCard::Part{std::move(text), 0, {step.paced, step.annotation}};
    });
  }

  /// A part for each of `values`, or for several of them its highest, as `describe`(first, highest, last) has it.
  template <class Describe>
  static void columns(ReportCard& card, const std::vector<double>& values, Describe&& describe) {
    const double top = std::ranges::max(values);
    const std::size_t shown = std::min(values.size(), kMostCardParts);
    for (std::size_t c = 0; c < shown; ++c) {
      const std::size_t first = c * values.size() / shown, last = (c + 1) * values.size() / shown;
      const auto highest = std::ranges::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                                    values.begin() + static_cast<std::ptrdiff_t>(last));
      card.parts.push_back(describe(first, static_cast<std::size_t>(highest - values.begin()), last));
      card.parts.back().size = top <= 0 ? 0 : std::max(0.0, *highest) / top;
    }
  }

  void kernel_classes() {
    if (report_.kernel.count == 0) return;
    Nanos all = 0;
    for (const ReportKernelClass& of : report_.classes) all = saturating_add(all, of.total);
    if (all == 0) return;
    ReportCard& card = open("kernelClasses", "GPU work by class", Picture::kStack);
    for (const ReportKernelClass& of : report_.classes)
      card.parts.push_back({share_text(kernel_class_name(of.kernel_class), of.total, all),
                            TimeUse::part(of.total, all),
                            place_of(of.longest),
                            {},
                            {},
                            of.kernel_class});
    const ReportKernelClass& most = report_.classes.front();
    card.number =
        fmt::format("{} {}", f_.percent(TimeUse::part(most.total, all)), kernel_class_name(most.kernel_class));
    card.caption = report_.classes.size() == 1
                       ? fmt::format("of {} of GPU work", f_.duration(all))
                       : fmt::format("then {} ({})", kernel_class_name(report_.classes[1].kernel_class),
                                     f_.percent(TimeUse::part(report_.classes[1].total, all)));
    card.place = place_of(most.longest);
  }

  void operators() {
    if (report_.operators.empty() || report_.operator_self_cpu == 0) return;
    ReportCard& card = open("operators", "Operators", Picture::kRows);
    const ReportOperator& most = report_.operators.front();
    card.number = fmt::format("{} {}", f_.percent(TimeUse::part(most.self_cpu, report_.operator_self_cpu)),
                              trace_.text(most.name));
    card.caption = fmt::format("of {} in operators themselves", f_.duration(report_.operator_self_cpu));
    for (std::size_t o = 0; o < std::min(kMostRows, report_.operators.size()); ++o) {
      const ReportOperator& op = report_.operators[o];
      card.parts.push_back({share_text(trace_.text(op.name), op.self_cpu, report_.operator_self_cpu),
                            TimeUse::part(op.self_cpu, report_.operator_self_cpu), place_of(op.longest)});
    }
    card.place = place_of(most.longest);
  }

  void copies() {
    if (report_.copies.empty()) return;
    Nanos all = 0;
    for (const ReportKernel& copy : report_.copies) all = saturating_add(all, copy.total);
    if (all == 0) return;
    const ReportKernel& most = report_.copies.front();
    ReportCard& card = open("copies", "Copies and sets", Picture::kRows);
    card.number =
        fmt::format("{} ({} of the time)", f_.duration(all), f_.percent(TimeUse::part(all, report_.window.duration())));
    card.caption = fmt::format("most of it {}", trace_.text(most.name));
    if (const double rate = most.gigabytes_per_second(); rate > 0) card.caption += fmt::format(" at {:.1f} GB/s", rate);
    for (std::size_t c = 0; c < std::min(kMostRows, report_.copies.size()); ++c) {
      const ReportKernel& copy = report_.copies[c];
      card.parts.push_back({share_text(trace_.text(copy.name), copy.total, all), TimeUse::part(copy.total, all),
                            place_of(copy.longest)});
    }
    card.place = place_of(most.longest);
  }

  void memory() {
    const auto has_peak = [](const MemoryTimeline& m) { return !m.times.empty() && m.allocated[m.peak] > 0; };
    const auto shown = std::ranges::find_if(report_.memory, has_peak);  // GPUs are first
    if (shown == report_.memory.end()) return;
    const MemoryTimeline& memory = *shown;
    const Nanos at = memory.times[memory.peak];
    ReportCard& card = open("memory", "Memory", Picture::kColumns);
    card.number = f_.bytes(static_cast<std::uint64_t>(memory.allocated[memory.peak]));
    card.caption = fmt::format("{} on {} at {}", memory.is_absolute ? "peak" : "peak above the start",
                               memory.is_gpu ? fmt::format("GPU {}", memory.device) : std::string("the CPU"),
                               f_.duration(saturating_sub(at, trace_.span().begin)));
    if (memory.peak_operator.valid()) card.caption += fmt::format(", in {}", trace_.name(memory.peak_operator));
    // By time, not by record: each column is as long, and has what was held before where nothing changed in it.
    const Nanos begin = memory.times.front();
    const Nanos span = std::max<Nanos>(1, saturating_sub(memory.times.back(), begin));
    std::vector<double> most(kMostCardParts, 0);
    std::vector<TimeSpan> when(kMostCardParts);
    const auto edge = [&](std::size_t c) {
      return begin + static_cast<Nanos>(static_cast<double>(span) * static_cast<double>(c) /
                                        static_cast<double>(kMostCardParts));
    };
    std::size_t r = 0;
    double held = 0;
    for (std::size_t c = 0; c < kMostCardParts; ++c) {
      when[c] = {edge(c), c + 1 == kMostCardParts ? begin + span + 1 : edge(c + 1)};
      most[c] = held;
      for (; r < memory.times.size() && memory.times[r] < when[c].end; ++r) {
        held = static_cast<double>(memory.allocated[r]);
        most[c] = std::max(most[c], held);
      }
      if (when[c].contains(at)) card.place = {when[c], memory.peak_operator};
    }
    columns(card, most, [&](std::size_t, std::size_t highest, std::size_t) {
      return ReportCard::Part{
          fmt::format("{} from {} on", f_.bytes(static_cast<std::uint64_t>(std::max(0.0, most[highest]))),
                      f_.duration(saturating_sub(when[highest].begin, trace_.span().begin))),
          0,
          {when[highest], {}}};
    });
  }

  const Trace& trace_;
  const Report& report_;
  const ReportFormat& f_;
  std::vector<ReportCard> cards_;
};

}  // namespace

std::vector<ReportCard> make_report_cards(const Trace& trace, const Report& report, const ReportFormat& format) {
  return CardMaker(trace, report, format).make();
}

}  // namespace lacuna
