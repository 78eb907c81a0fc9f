// Copies that an operator or module makes on the way.

#include <array>

#include <fmt/format.h>

#include "model/calls/launched_work.h"
#include "model/notes/note_parts.h"

namespace lacuna {
namespace {

bool is_copying(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"aten::copy_", "aten::clone",    "aten::contiguous",
                                                   "aten::to",    "aten::_to_copy", "aten::_reshape_copy"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

void note_copies(const NoteFacts& facts) {
  const Trace& trace = facts.trace;
  const CategoryClass category = facts.category();
  const bool may_hide = category == CategoryClass::kCpuOperator ||
                        (category == CategoryClass::kPythonFunction && is_module_frame(facts.name()));
  if (!may_hide || is_copying(facts.name()) || is_annotation_name(facts.name())) return;
  std::uint64_t copies = 0, all = 0;
  Nanos time = 0, of_all = 0, most = -1;
  SliceId largest, op;
  for_each_launched(trace, facts.slice, [&](SliceId activity, SliceId call) {
    const Nanos took = trace.span(activity).duration();
    ++all;
    of_all = saturating_add(of_all, took);
    SliceId copying;
    for (SliceId up = trace.parent(call); up.valid() && up != facts.slice; up = trace.parent(up))
      if (is_copying(trace.name(up))) copying = up;  // the outermost
    if (!copying.valid()) return;
    ++copies;
    time = saturating_add(time, took);
    if (took > most) {
      most = took;
      largest = activity;
      op = copying;
    }
  });
  if (copies == 0) return;
  SliceId asker = trace.parent(op);
  while (asker.valid() && trace.name(asker).starts_with("<built-in")) asker = trace.parent(asker);
  const std::string by = asker.valid() && asker != facts.slice ? fmt::format(", in {}", trace.name(asker)) : "";
  const std::string what = all == 1        ? "Its GPU activity copies"
                           : copies == all ? fmt::format("All of its {} GPU activities copy", facts.format.count(all))
                                           : fmt::format("{} of its {} GPU activities {}", facts.format.count(copies),
                                                         facts.format.count(all), copies == 1 ? "copies" : "copy");
  facts.add("copies",
            fmt::format("{}, {} of {} of GPU time: {} asked for the longest{}.", what, facts.format.duration(time),
                        facts.format.duration(of_all), trace.name(op), by),
            largest);
}

}  // namespace lacuna
