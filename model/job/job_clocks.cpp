#include "model/job/job_clocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lacuna {
namespace {

/// Collectives of one group that are looked at, spread over its time: more would not say more.
constexpr std::size_t kMostOfGroup = 96;
/// Rounds in which outliers lose their weight.
constexpr int kRounds = 12;
constexpr int kMostIterations = 200;
/// Residuals below it (ns) all count the same.
constexpr double kFloor = 300;
/// An offset or drift is believed from so many times its uncertainty on.
constexpr double kBelieved = 3;
/// Faster than any clock drifts: chance, in a window too short for it.
constexpr double kMostDrift = 200e-6;
/// An offset smaller than so many residuals changes nothing that could be seen.
constexpr double kWorthwhile = 4;

struct Observation {
  std::uint32_t rank = 0;
  std::uint32_t meeting = 0;
  double time = 0;  // of the meeting, by the clock of the reference: -1 … 1 over the window of its component
  double end = 0;   // ns since the origin, with what the first meetings say of the clock taken off
  double weight = 1;
};

/// Of the collectives of one component, in ns since the origin.
struct Window {
  double first = 1e300, last = -1e300;
  double centre() const { return (first + last) / 2; }
  double half() const { return std::max(1.0, (last - first) / 2); }
};

class ClockFit {
 public:
  explicit ClockFit(Job& job) : job_(job), ranks_(static_cast<std::uint32_t>(job.ranks.size())) {}

  void run() {
    find_origin();
    observe();
    find_components();
    place_in_time();
    uses_drift_.assign(ranks_, true);
    solve();
    choose_drifts();
    solve();
    store();
    correct();
  }

 private:
  void find_origin() {
    Nanos first = kMaxNanos;
    for (const JobRank& rank : job_.ranks)  // the reference is the first that has one
      if (!rank.steps.empty()) {
        first = rank.steps.front().start;
        break;
      }
    job_.origin = first == kMaxNanos ? 0 : first;
  }

  void observe() {
    std::vector<std::vector<std::uint32_t>> by_group(job_.groups.size());
    for (std::uint32_t c = 0; c < job_.collectives.size(); ++c)
      if (job_.collectives[c].is_synchronising) by_group[job_.collectives[c].group].push_back(c);
    for (const auto& all : by_group) {
      const std::size_t count = std::min(all.size(), kMostOfGroup);
      for (std::size_t i = 0; i < count; ++i) {
        const JobCollective& c = job_.collectives[all[i * all.size() / count]];
        for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
          const Nanos end = job_.part_of(job_.parts[p]).end;
          if (end % 1000 != 0) resolution_ = 1;
          all_.push_back({job_.parts[p].rank, meetings_, 0, static_cast<double>(saturating_sub(end, job_.origin))});
        }
        ++meetings_;
      }
    }
  }

  /// Which ranks meet, directly or over others, and how far ahead of the lowest of them each is where they first do.
  void find_components() {
    component_.resize(ranks_);
    std::iota(component_.begin(), component_.end(), 0u);
    ahead_.assign(ranks_, 0);
    for (std::size_t i = 1; i < all_.size(); ++i) {
      const Observation &one = all_[i], &before = all_[i - 1];
      const std::uint32_t a = component_[one.rank], b = component_[before.rank];
      if (one.meeting != before.meeting || a == b) continue;
      const double apart = (one.end - ahead_[one.rank]) - (before.end - ahead_[before.rank]);
      for (std::uint32_t r = 0; r < ranks_; ++r) {
        if (component_[r] != std::max(a, b)) continue;
        component_[r] = std::min(a, b);
        ahead_[r] += a > b ? apart : -apart;
      }
    }
  }

  /// Clocks may differ by far more than the window is long: times that are compared are those of one clock.
  void place_in_time() {
    windows_.assign(ranks_, {});
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Observation& o = all_[i];
      o.end -= ahead_[o.rank];
      o.time = i > 0 && o.meeting == all_[i - 1].meeting ? all_[i - 1].time : o.end;  // as its first rank saw it
      Window& window = windows_[component_[o.rank]];
      window.first = std::min(window.first, o.time);
      window.last = std::max(window.last, o.time);
    }
    for (Observation& o : all_) {
      const Window& window = windows_[component_[o.rank]];
      o.time = (o.time - window.centre()) / window.half();
    }
  }

  // --- weighted least squares -------------------------------------------------------------------------

  /// Subtracts from each value the weighted mean of its meeting: the true end is not known.
  void centre(std::vector<double>& values) const {
    for (std::size_t begin = 0; begin < all_.size();) {
      std::size_t end = begin;
      double sum = 0, weight = 0;
      for (; end < all_.size() && all_[end].meeting == all_[begin].meeting; ++end) {
        sum += all_[end].weight * values[end];
        weight += all_[end].weight;
      }
      for (; begin < end; ++begin) values[begin] -= weight > 0 ? sum / weight : 0;
    }
  }

  /// Unknowns: offsets at the centre of the window, then drifts over half of it.
  std::vector<double> predict(const std::vector<double>& x) const {
    std::vector<double> y(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i)
      y[i] = x[all_[i].rank] + (uses_drift_[all_[i].rank] ? x[ranks_ + all_[i].rank] * all_[i].time : 0);
    centre(y);
    return y;
  }

  std::vector<double> gather(const std::vector<double>& y) const {
    std::vector<double> sums(2 * ranks_, 0);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      sums[all_[i].rank] += all_[i].weight * y[i];
      if (uses_drift_[all_[i].rank]) sums[ranks_ + all_[i].rank] += all_[i].weight * all_[i].time * y[i];
    }
    return sums;
  }

  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  /// Conjugate gradients on the normal equations, from where x is.
  void minimise(const std::vector<double>& centred_ends) {
    std::vector<double> diagonal(2 * ranks_, 0);
    for (const Observation& o : all_) {
      diagonal[o.rank] += o.weight;
      diagonal[ranks_ + o.rank] += o.weight * o.time * o.time;
    }
    std::vector<double> left = predict(x_);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = centred_ends[i] - left[i];
    std::vector<double> r = gather(left), z(r.size()), p;
    const auto precondition = [&] {
      for (std::size_t i = 0; i < r.size(); ++i) z[i] = diagonal[i] > 0 ? r[i] / diagonal[i] : 0;
    };
    precondition();
    p = z;
    double rz = dot(r, z);
    const double enough = rz * 1e-16 + 1e-12;
    for (int k = 0; k < kMostIterations && rz > enough; ++k) {
      const std::vector<double> ap = gather(predict(p));
      const double pap = dot(p, ap);
      if (!(pap > 0)) break;
      const double step = rz / pap;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        x_[i] += step * p[i];
        r[i] -= step * ap[i];
      }
      precondition();
      const double next = dot(r, z);
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + next / rz * p[i];
      rz = next;
    }
  }

  void solve() {
    x_.assign(2 * ranks_, 0);
    for (Observation& o : all_) o.weight = 1;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> ends(all_.size());
      for (std::size_t i = 0; i < all_.size(); ++i) ends[i] = all_[i].end;
      centre(ends);
      minimise(ends);
      fix_reference();
      find_residuals();
      double change = 0;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const double weight = 1 / std::max(std::abs(residuals_[i]) / kFloor, 1.0);
        change = std::max(change, std::abs(weight - all_[i].weight));
        all_[i].weight = weight;
      }
      if (change < 0.02) break;
    }
  }

  /// Moves all clocks of a component so that its reference has neither offset nor drift at all.
  void fix_reference() {
    for (std::uint32_t r = 0; r < ranks_; ++r)
      if (!uses_drift_[r]) x_[ranks_ + r] = 0;
    const std::vector<double> x = x_;
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const std::uint32_t reference = component_[r];
      x_[r] = x[r] - x[reference];
      if (uses_drift_[r]) x_[ranks_ + r] = x[ranks_ + r] - (uses_drift_[reference] ? x[ranks_ + reference] : 0);
    }
  }

  void find_residuals() {
    residuals_.resize(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i)
      residuals_[i] =
          all_[i].end - x_[all_[i].rank] - (uses_drift_[all_[i].rank] ? x_[ranks_ + all_[i].rank] * all_[i].time : 0);
    centre(residuals_);
  }

  /// Drifts that stand out of the noise are kept. The reference has none by definition.
  void choose_drifts() {
    const std::vector<double> spread = spreads();
    std::vector<double> times(ranks_, 0), counts(ranks_, 0), squares(ranks_, 0);
    for (const Observation& o : all_) {
      times[o.rank] += o.time;
      counts[o.rank] += 1;
    }
    for (const Observation& o : all_) {
      const double away = o.time - times[o.rank] / counts[o.rank];
      squares[o.rank] += away * away;
    }
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const double drift = std::abs(x_[ranks_ + r]);
      // Both this rank and the reference are uncertain.
      const double uncertainty = squares[r] > 0 ? 1.5 * spread[r] / std::sqrt(squares[r]) : 1e300;
      uses_drift_[r] = r != component_[r] && counts[r] > 3 && drift > kBelieved * uncertainty && drift > spread[r] &&
                       drift < kMostDrift * windows_[component_[r]].half();
    }
  }

  /// Of the residuals of each rank: 1.48 times the median of their sizes, as a standard deviation.
  std::vector<double> spreads() const {
    std::vector<std::vector<double>> sizes(ranks_);
    for (std::size_t i = 0; i < all_.size(); ++i) sizes[all_[i].rank].push_back(std::abs(residuals_[i]));
    std::vector<double> result(ranks_, 0);
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (sizes[r].empty()) continue;
      std::ranges::nth_element(sizes[r], sizes[r].begin() + static_cast<std::ptrdiff_t>(sizes[r].size() / 2));
      result[r] = std::max(1.4826 * sizes[r][sizes[r].size() / 2], resolution_ / 2);
    }
    return result;
  }

  // --- the answer -----------------------------------------------------------------------------------------

  void store() {
    const std::vector<double> spread = spreads();
    job_.clocks.assign(ranks_, {});
    for (const Observation& o : all_) ++job_.clocks[o.rank].samples;
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      JobClock& clock = job_.clocks[r];
      clock.component = component_[r];
      clock.residual_ns = spread[r];
      if (clock.samples == 0) continue;
      const Window& window = windows_[component_[r]];
      const double drift = uses_drift_[r] ? x_[ranks_ + r] / window.half() : 0;
      clock.drift_ppm = drift * 1e6;
      clock.offset_ns = ahead_[r] + x_[r] - drift * window.centre();  // at the origin
      const double doubt = std::max(kWorthwhile * std::max(spread[r], spread[component_[r]]), 100.0);
      if (!uses_drift_[r] && std::abs(clock.offset_ns) < doubt) clock.offset_ns = 0;
    }
  }

  void correct() {
    for (JobPart& part : job_.parts) {
      const CollectivePart& said = job_.part_of(part);
      part.start = corrected(said.start, job_.clocks[part.rank]);
      part.end = corrected(said.end, job_.clocks[part.rank]);
    }
  }

  Nanos corrected(Nanos t, const JobClock& clock) const {
    if (clock.offset_ns == 0 && clock.drift_ppm == 0) return t;
    const double error = clock.error_at(static_cast<double>(saturating_sub(t, job_.origin)));
    return saturating_sub(t, static_cast<Nanos>(std::llround(std::clamp(error, -4e18, 4e18))));
  }

  Job& job_;
  const std::uint32_t ranks_;
  std::uint32_t meetings_ = 0;
  std::vector<Observation> all_;
  double resolution_ = 1000;  // of the files' times: older ones have whole microseconds
  std::vector<std::uint32_t> component_;
  std::vector<double> ahead_;    // ns, by rank: of its reference
  std::vector<Window> windows_;  // by reference
  std::vector<bool> uses_drift_;
  std::vector<double> x_, residuals_;
};

}  // namespace

void fit_clocks(Job& job) {
  ClockFit(job).run();
}

}  // namespace lacuna
