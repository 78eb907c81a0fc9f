// Where the time of a call of compiled code goes, and how often it was compiled.

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "model/base/plural.h"
#include "model/calls/launched_work.h"
#include "model/notes/note_parts.h"

namespace lacuna {
namespace {

constexpr std::string_view kRegion = "Torch-Compiled Region: ";

/// "Torch-Compiled Region: 0/1": 1. Nothing where the name does not end so, or is of another frame.
std::optional<std::uint32_t> compilation(std::string_view name, std::string_view frame) {
  if (!name.starts_with(frame)) return std::nullopt;
  std::uint32_t number = 0;
  const char* const end = name.data() + name.size();
  return std::from_chars(name.data() + frame.size(), end, number).ec == std::errc{} ? std::optional(number)
                                                                                    : std::nullopt;
}

/// The slice of its row that ends last before it does, if it has that name and lies near.
SliceId lookup_before(const Trace& trace, SliceId region) {
  if (region.index == 0) return {};
  const SliceId before{region.lane, region.index - 1};
  return trace.name(before).starts_with("TorchDynamo Cache Lookup") ? before : SliceId{};
}

/// How often the frame was compiled, as far as the names tell.
void note_compilations(const NoteFacts& facts) {
  const std::size_t slash = facts.name().rfind('/');
  if (slash == std::string_view::npos) return;
  const std::string_view frame = facts.name().substr(0, slash + 1);
  std::optional<std::uint32_t> most;
  for (std::uint32_t i = 0; i < facts.trace.strings().size(); ++i)
    if (const auto found = compilation(facts.trace.text(StringId{i}), frame); found && (!most || *found > *most))
      most = found;
  if (!most || *most == 0) return;
  facts.add("compiled", fmt::format("This frame was compiled {} times by then: guards failed, mostly for other shapes. "
                                    "torch._dynamo's logs (TORCH_LOGS=recompiles) tell which.",
                                    std::uint64_t{*most} + 1));
}

}  // namespace

void note_compiled_code(const NoteFacts& facts) {
  if (!facts.name().starts_with(kRegion) || is_gpu_activity(facts.category())) return;
  const Trace& trace = facts.trace;
  Nanos graph = 0, inputs = 0, prologue = 0;
  for_each_inside(trace, facts.slice, [&](SliceId inside) {
    const std::string_view name = trace.name(inside);
    const Nanos time = trace.span(inside).duration();
    if (trace.category_class(inside) == CategoryClass::kPythonFunction) return true;
    if (name.find("CompiledFxGraph") != name.npos) graph = saturating_add(graph, time);
    if (name.starts_with("Pregraph bytecode")) inputs = saturating_add(inputs, time);
    if (name.starts_with("AOTDispatcher Runtime Wrapper Prologue")) prologue = saturating_add(prologue, time);
    return true;
  });
  const LaunchedWork work = work_launched_by(trace, std::span(&facts.slice, 1));
  const SliceId lookup = lookup_before(trace, facts.slice);
  const auto& duration = facts.format.duration;
  const Nanos whole = facts.span().duration();
  std::string text = fmt::format("Of its {} on the CPU the compiled graph takes {}", duration(whole), duration(graph));
  if (work.count > 0)
    text += fmt::format(" (in which it starts {} GPU {} of {})", facts.format.count(work.count),
                        noun_after(work.count, "activity"), duration(work.time));
  Nanos tax = saturating_sub(whole, graph);
  text += fmt::format("; collecting inputs {}, AOTAutograd's prologue {}", duration(inputs), duration(prologue));
  if (lookup.valid()) {
    const Nanos looked = trace.span(lookup).duration();
    text += fmt::format("; the look-up of guards before it {}", duration(looked));
    tax = saturating_add(tax, looked);
  }
  text += fmt::format(". Outside of its graph the call costs {}.", duration(tax));
  facts.add("compiled", std::move(text), lookup);
  note_compilations(facts);
}

}  // namespace lacuna
