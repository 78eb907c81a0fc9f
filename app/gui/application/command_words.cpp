#include "app/gui/application/command_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

constexpr std::array kWords = {
    Words{"open", "load file trace json nsys sqlite pickle"},
    Words{"compare", "diff difference regression faster slower"},
    Words{"open_job", "ranks distributed ddp fsdp multi"},
    Words{"connect", "ssh remote host server"},
    Words{"launch", "record profile run capture start program"},
    Words{"attach", "live watch follow process"},
    Words{"save_picture", "screenshot image export"},
    Words{"export_range", "crop cut save part json"},
    Words{"share", "bundle send hand over colleague notes anonymise scrub export"},
    Words{"import_notes", "markers read add colleague"},
    Words{"export_notes", "markers write save json colleague"},
    Words{"focus", "zoom selection fit"},
    Words{"fit", "zoom out reset home all whole everything"},
    Words{"zoom_in", "closer magnify bigger"},
    Words{"zoom_out", "wider smaller"},
    Words{"larger", "zoom font text size scale bigger settings options preferences"},
    Words{"smaller", "zoom font text size scale settings options preferences"},
    Words{"normal_size", "zoom font text reset scale settings options preferences"},
    Words{"light_theme", "dark mode theme colours colors bright white black settings options preferences"},
    Words{"fold_time", "compress skip idle collapse shorten"},
    Words{"gaps_shown", "idle bubbles holes"},
    Words{"page_gaps", "idle bubbles stalls waiting holes"},
    Words{"gap_causes", "why idle reasons bubbles stalls"},
    Words{"gap_operators", "blame culprit idle why slow"},
    Words{"page_report", "summary verdict bottleneck advice why slow overview"},
    Words{"page_statistics", "kernels gemm matmul convolution attention top hotspots operators time names table"},
    Words{"torch_table", "key_averages self cpu cuda pytorch operators table gemm"},
    Words{"page_calls", "flame graph flamegraph tree stack callers callees"},
    Words{"page_path", "critical longest chain"},
    Words{"page_what_if", "simulate predict speedup amdahl gain"},
    Words{"what_if_selection", "simulate predict speedup faster half gain"},
    Words{"page_roofline", "arithmetic intensity flops bandwidth peak compute-bound memory-bound efficiency"},
    Words{"page_memory", "allocator oom snapshot leak peak vram allocations"},
    Words{"page_query", "sqlite select query database perfetto"},
    Words{"page_job", "ranks stragglers distributed late nccl"},
    Words{"page_import", "notes warnings errors lost repaired parse"},
    Words{"page_compare", "diff difference regression"},
    Words{"page_markers", "bookmarks notes annotations flags"},
    Words{"add_marker", "bookmark note flag annotate"},
    Words{"search", "find gemm kernel name filter"},
    Words{"find_track", "thread stream jump"},
    Words{"shortcuts", "help keys keyboard bindings hotkeys mouse settings options preferences"},
    Words{"glossary", "help words terms definitions meaning explain dictionary"},
    Words{"report_right", "report dock side sidebar panel pane below settings options preferences"},
    Words{"drawer", "panel bottom hide pane"},
    Words{"maximise_drawer", "panel fullscreen bigger pane maximize"},
    Words{"squeeze_frames", "unfold collapse stack depth python settings options preferences"},
    Words{"hide_name", "filter out remove"},
    Words{"pin_track", "sticky keep favourite favorite"},
    Words{"queue_depth", "launch outstanding pending"},
    Words{"all_flows", "arrows connections links"},
    Words{"steps", "iteration profilerstep epoch batch"},
    Words{"steps_from", "iteration pattern annotation nvtx range choose what a step is"},
    Words{"next_step", "iteration profilerstep batch"},
    Words{"highlight_name", "same all occurrences"},
    Words{"unit_absolute", "clock wall date utc"},
};

/// The word that `text` begins with, which it loses.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::string_view command_words(std::string_view id) {
  const auto* const found = std::ranges::find(kWords, id, &Words::first);
  return found == kWords.end() ? std::string_view{} : found->second;
}

bool fits_words(std::string_view typed, std::string_view words) {
  constexpr std::size_t kLeast = 3;
  const std::string lower = to_lower(typed);
  std::string_view rest = lower;
  bool any = false;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (word.size() < kLeast) return false;
    bool fits = false;
    std::string_view left = words;
    for (std::string_view other = take_word(left); !other.empty() && !fits; other = take_word(left))
      fits = other.starts_with(word);
    if (!fits) return false;
    any = true;
  }
  return any;
}

}  // namespace lacuna
