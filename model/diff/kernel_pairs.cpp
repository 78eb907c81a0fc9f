#include "model/diff/kernel_pairs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "model/base/stable_sort.h"
#include "model/diff/trace_diff.h"
#include "model/trace/nearest_above.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// One kernel that ran.
struct KernelRun {
  std::uint32_t name = 0;  // number of its text
  std::uint32_t op = 0;
  Nanos launched = 0;  // when; of one without a known launch: when it began
  bool has_launch = false;
  Nanos time = 0;  // inside the window
  SliceId slice;
};

/// Kernels of one class, and mostly of one operator, of both sides; in the order of their launches.
using KernelRuns = std::vector<KernelRun>;
using BothRuns = std::array<KernelRuns, 2>;

/// Numbers for texts of two traces.
class TextNumbers {
 public:
  std::uint32_t of(std::string text) {
    const auto [found, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(&found->first);
    return found->second;
  }
  const std::string& text(std::uint32_t number) const { return *texts_[number]; }

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;
};

/// Those of which a program runs few and large ones, so that they are worth looking for under another operator.
bool is_large(KernelClass of) {
  return of == KernelClass::kGemm || of == KernelClass::kConvolution || of == KernelClass::kAttention;
}

/// How many times the work of a window repeats itself.
std::size_t repeats(const Report& report) {
  const std::size_t steps = report.steps.steps.size() - report.steps.warm_up_count;
  return report.steps.has_steps() && steps != 0 ? steps : 1;
}

class PairFinder {
 public:
  PairFinder(const DiffSide& a, const DiffSide& b, const TraceDiff& diff) : steps_{repeats(diff.a), repeats(diff.b)} {
    collect(a, diff.a.window, 0);
    collect(b, diff.b.window, 1);
  }

  std::vector<KernelPair> find() {
    std::map<KernelClass, BothRuns> left;  // what has no like in its operator
    for (auto& [key, sides] : work_) {
      pair(key.second, sides);
      for (std::size_t s = 0; s < 2; ++s)
        left[key.second][s].insert(left[key.second][s].end(), sides[s].begin(), sides[s].end());
    }
    for (auto& [kernel_class, sides] : left) {
      for (KernelRuns& runs : sides) sort_runs(runs);
      begin_pairs();
      pair_by_name(kernel_class, sides, false);  // under other operators, or launched before the recording
      if (is_large(kernel_class))
        for (std::size_t s = 0; s < 2; ++s) pair_without_operator(kernel_class, sides, s);
      begin_pairs();
      for (const KernelRun& run : sides[0]) add(kernel_class, &run, nullptr, run, 0);
      for (const KernelRun& run : sides[1]) add(kernel_class, nullptr, &run, run, 1);
    }
    sort_stably(pairs_, [&](const KernelPair& x, const KernelPair& y) { return time_of(x) > time_of(y); });
    return std::move(pairs_);
  }

 private:
  void collect(const DiffSide& side, TimeSpan window, std::size_t s) {
    const Trace& trace = *side.trace;
    std::vector<std::uint32_t> numbers(trace.strings().size(), kNoIndex);
    const auto number_of = [&](StringId id, bool is_kernel) {
      std::uint32_t& number = numbers[id.value];
      if (number == kNoIndex)
        number = texts_.of(is_kernel ? name_across_traces(trace.text(id)) : std::string(trace.text(id)));
      return number;
    };
    const std::uint32_t no_op = texts_.of({});
    NearestAbove operators(trace);
    Links::Hint hint{};
    for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, side.source)) {
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace.lane(id);
        const std::uint32_t last = lane.first_starting_from(window.end);
        for (std::uint32_t i = lane.first_visible_from(window.begin); i < last; ++i) {
          if (trace.category_class(lane.category(i)) != CategoryClass::kKernel) continue;
          SliceId call = trace.links().launch_of({id, i}, hint);
          KernelRun run;
          run.slice = {id, i};
          run.has_launch = call.valid();
          run.name = number_of(lane.name(i), true);
          run.launched = call.valid() ? trace.span(call).begin : lane.span(i).begin;
          run.time = lane.span(i).intersect(window).duration();
          call = operators.operator_of(call);
          run.op = call.valid() ? number_of(trace.lane(call).name(call.index), false) : no_op;
          work_[{run.op, class_of(run.name)}][s].push_back(run);
        }
      }
    }
    for (auto& [key, sides] : work_) sort_runs(sides[s]);
  }

  static void sort_runs(KernelRuns& runs) {
    std::ranges::sort(runs, {}, [](const KernelRun& run) { return std::pair(run.launched, run.slice); });
  }

  KernelClass class_of(std::uint32_t name) {
    const auto [found, is_new] = classes_.try_emplace(name, KernelClass::kOther);
    if (is_new) found->second = kernel_class(texts_.text(name));
    return found->second;
  }

  /// Adds the pairs of `sides`, and leaves there what has no like.
  void pair(KernelClass of, BothRuns& sides) {
    if (sides[0].empty() || sides[1].empty()) return;
    begin_pairs();
    const std::array<std::size_t, 2> all{sides[0].size(), sides[1].size()};
    if (all[0] % steps_[0] != 0 || all[1] % steps_[1] != 0 || all[0] / steps_[0] != all[1] / steps_[1])
      return pair_by_name(of, sides, true);
    const std::size_t of_step = all[0] / steps_[0];
    for (std::size_t s = 0; s < 2; ++s) {
      for (std::size_t i = 0; i < all[s]; ++i) {
        // The like of the Nth kernel of a step: the Nth of the other side's same step, or of its last one.
        const std::size_t step = std::min(i / of_step, steps_[1 - s] - 1);
        const KernelRun& run = sides[s][i];
        const KernelRun& like = sides[1 - s][step * of_step + i % of_step];
        add(of, s == 0 ? &run : &like, s == 0 ? &like : &run, run, s);
      }
    }
    sides = {};
  }

  /// Adds the pairs of what no operator launched on side `s`.
  void pair_without_operator(KernelClass of, BothRuns& sides, std::size_t s) {
    // Of what was launched before the recording nobody knows the operator.
    const auto has_operator = [&](const KernelRun& run) { return !run.has_launch || !texts_.text(run.op).empty(); };
    KernelRuns& own = sides[s];
    const KernelRuns with(std::stable_partition(own.begin(), own.end(), std::not_fn(has_operator)), own.end());
    own.resize(own.size() - with.size());
    pair(of, sides);
    own.insert(own.end(), with.begin(), with.end());
    sort_runs(own);
  }

  /// A name with its own, and `others_too`, in the order of their time.
  void pair_by_name(KernelClass of, BothRuns& sides, bool others_too) {
    struct Named {
      const KernelRun* first = nullptr;
      Nanos time = 0;
    };
    std::array<std::map<std::uint32_t, Named>, 2> named;
    for (std::size_t s = 0; s < 2; ++s) {
      for (const KernelRun& run : sides[s]) {
        Named& one = named[s][run.name];
        if (one.first == nullptr) one.first = &run;
        one.time = saturating_add(one.time, run.time);
      }
    }
    std::array<std::map<std::uint32_t, std::array<const KernelRun*, 2>>, 2> likes;  // by name
    std::array<std::vector<std::pair<Nanos, std::uint32_t>>, 2> others;
    for (std::size_t s = 0; s < 2; ++s) {
      for (const auto& [name, one] : named[s]) {
        if (named[1 - s].contains(name))
          likes[s][name] = {named[0][name].first, named[1][name].first};
        else
          others[s].emplace_back(-one.time, name);
      }
      std::ranges::sort(others[s]);
    }
    for (std::size_t i = 0; others_too && i < std::min(others[0].size(), others[1].size()); ++i) {
      const std::uint32_t name_a = others[0][i].second, name_b = others[1][i].second;
      likes[0][name_a] = likes[1][name_b] = {named[0][name_a].first, named[1][name_b].first};
    }
    BothRuns left;
    for (std::size_t s = 0; s < 2; ++s) {
      for (const KernelRun& run : sides[s]) {
        if (const auto found = likes[s].find(run.name); found != likes[s].end())
          add(of, found->second[0], found->second[1], run, s);
        else
          left[s].push_back(run);
      }
    }
    sides = std::move(left);
  }

  /// Counts `run` of side `s` for the pair of two runs' names and operators; null: that side has none.
  void add(KernelClass of, const KernelRun* a, const KernelRun* b, const KernelRun& run, std::size_t s) {
    std::array<std::uint32_t, 4> key;
    key.fill(kNoIndex);
    if (a != nullptr) key[0] = a->name, key[1] = a->op;
    if (b != nullptr) key[2] = b->name, key[3] = b->op;
    const auto [found, is_new] = found_.try_emplace(key, pairs_.size());
    if (is_new) {
      KernelPair& pair = pairs_.emplace_back();
      pair.kernel_class = of;
      if (a != nullptr) pair.a.name = texts_.text(a->name), pair.a.op = texts_.text(a->op);
      if (b != nullptr) pair.b.name = texts_.text(b->name), pair.b.op = texts_.text(b->op);
    }
    PairedKernel& side = s == 0 ? pairs_[found->second].a : pairs_[found->second].b;
    if (side.count++ == 0 || run.time > side.max) {
      side.max = run.time;
      side.longest = run.slice;
    }
    side.total = saturating_add(side.total, run.time);
  }
  void begin_pairs() { found_.clear(); }

  double time_of(const KernelPair& pair) const {
    return static_cast<double>(pair.a.total) / static_cast<double>(steps_[0]) +
           static_cast<double>(pair.b.total) / static_cast<double>(steps_[1]);
  }

  std::array<std::size_t, 2> steps_;
  TextNumbers texts_;
  std::map<std::uint32_t, KernelClass> classes_;                    // by name
  std::map<std::pair<std::uint32_t, KernelClass>, BothRuns> work_;  // by operator
  std::map<std::array<std::uint32_t, 4>, std::size_t> found_;       // of the runs that are paired now
  std::vector<KernelPair> pairs_;
};

std::string lower_label(KernelFact fact) {
  std::string label(kernel_fact_label(fact));
  if (label[0] >= 'A' && label[0] <= 'Z') label[0] = static_cast<char>(label[0] - 'A' + 'a');
  return label;
}

/// "128x64" of "128x64: what that means".
std::string_view before_colon(std::string_view value) {
  return value.substr(0, value.find(": "));
}
std::string_view after_colon(std::string_view value) {
  const std::size_t colon = value.find(": ");
  return colon == value.npos ? std::string_view{} : value.substr(colon);
}

}  // namespace

std::vector<KernelPair> pair_kernels(const DiffSide& a, const DiffSide& b, const TraceDiff& diff) {
  return PairFinder(a, b, diff).find();
}

std::vector<KernelFactPair> compare_kernel_names(const KernelName& a, const KernelName& b) {
  std::vector<KernelFactPair> facts;
  for (std::size_t f = 0; f < kKernelFactCount; ++f) {
    const auto fact = static_cast<KernelFact>(f);
    if (!a[fact].empty() || !b[fact].empty()) facts.push_back({fact, a[fact], b[fact]});
  }
  return facts;
}

bool KernelFactPair::differs() const {
  // What stands behind the colon is what the letters mean: "TN: A transposed, B not", "TNT: A transposed, B not".
  return a != b && (after_colon(a).empty() || after_colon(a) != after_colon(b) || fact != KernelFact::kLayout);
}

std::string kernel_pair_operators(const KernelPair& pair) {
  const auto named = [](const std::string& op) { return op.empty() ? std::string("no operator") : op; };
  if (!pair.has_both()) return named(pair.a.is_there() ? pair.a.op : pair.b.op);
  return pair.a.op == pair.b.op ? named(pair.a.op) : named(pair.a.op) + " / " + named(pair.b.op);
}

std::string kernel_pair_sentence(const KernelPair& pair) {
  if (!pair.has_both()) {
    const bool is_a = pair.a.is_there();
    const std::string& op = is_a ? pair.a.op : pair.b.op;
    return std::string("Only ") + (is_a ? "A" : "B") + " runs this kernel" + (op.empty() ? "" : " in " + op) + ": " +
           (is_a ? "B" : "A") + " has none like it there.";
  }
  if (pair.is_same()) return "Both runs use the same kernel.";
  const KernelName a = read_kernel_name(pair.a.name), b = read_kernel_name(pair.b.name);
  if (!a.is_known() && !b.is_known()) return "Not the same kernel; Lacuna can read neither name.";
  if (!a.is_known() || !b.is_known())
    return std::string("Not the same kernel; Lacuna cannot read the name of ") + (a.is_known() ? "B's." : "A's.");
  std::string differences, one_sided;
  for (const KernelFactPair& fact : compare_kernel_names(a, b)) {
    if (!fact.differs()) continue;
    if (fact.a.empty() || fact.b.empty()) {
      one_sided += (one_sided.empty() ? "" : ", ") + lower_label(fact.fact);
      continue;
    }
    // Where the short forms are the same, it is what explains them that differs.
    std::string_view of_a = before_colon(fact.a), of_b = before_colon(fact.b);
    if (of_a == of_b) of_a = fact.a, of_b = fact.b;
    differences += differences.empty() ? "" : "; ";
    differences.append(lower_label(fact.fact)).append(" ").append(of_a).append(" \xE2\x86\x92 ").append(of_b);
  }
  std::string sentence = "Not the same kernel.";
  if (!differences.empty()) sentence += " From A to B: " + differences + '.';
  if (!one_sided.empty()) sentence += " Only one of the names tells: " + one_sided + '.';
  if (differences.empty() && one_sided.empty()) sentence += " What can be read of the two names is the same.";
  return sentence;
}

std::string kernel_pair_difference(const KernelPair& pair) {
  if (!pair.has_both()) return pair.a.is_there() ? "only in A" : "only in B";
  if (pair.is_same()) return "the same";
  std::string differences;
  for (const KernelFactPair& fact : compare_kernel_names(read_kernel_name(pair.a.name), read_kernel_name(pair.b.name)))
    if (fact.differs()) differences += (differences.empty() ? "" : ", ") + lower_label(fact.fact);
  return differences.empty() ? "the name" : differences;
}

}  // namespace lacuna
