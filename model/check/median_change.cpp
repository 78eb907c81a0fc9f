#include "model/check/median_change.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "model/base/quantiles.h"

namespace lacuna {
namespace {

constexpr double kTail = 0.005;  // on each side of an interval of 99 %
constexpr double kNormal = 2.5758293035489004;
constexpr std::size_t kMostAtoms = 65;  // of a distribution; more are put together

struct Atom {
  double value = 0;
  double weight = 0;
};

/// P(at least `least` of `n` draws succeed), each with probability `p`.
double binomial_at_least(std::size_t n, double p, std::size_t least) {
  if (p >= 1) return 1;
  if (p <= 0) return least == 0 ? 1 : 0;
  const auto size = static_cast<double>(n);
  // Beyond nine standard deviations nothing counts.
  const double reach = 9 * std::sqrt(size * p * (1 - p)) + 9;
  const double mean = size * p;
  const auto first = std::max(least, static_cast<std::size_t>(std::max(0.0, mean - reach)));
  const auto last = std::min(n, static_cast<std::size_t>(mean + reach));
  if (first > last) return static_cast<double>(least) > mean ? 0 : 1;
  const auto hits = static_cast<double>(first);
  double term = std::exp(std::lgamma(size + 1) - std::lgamma(hits + 1) - std::lgamma(size - hits + 1) +
                         hits * std::log(p) + (size - hits) * std::log1p(-p));
  double sum = 0;
  for (std::size_t k = first; k <= last; ++k) {
    sum += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1) * p / (1 - p);
  }
  return std::min(sum, 1.0);
}

/// How probable each of `n` values, in their order, is as the median of n draws: of an even number the mean of how
/// probable it is as the lower and as the upper of the two in the middle.
std::vector<double> median_weights(std::size_t n) {
  std::vector<double> weights(n, 0.0);
  const std::size_t lower = (n + 1) / 2, upper = n / 2 + 1;
  const double reach = 4 * std::sqrt(static_cast<double>(n)) + 2;  // eight standard deviations
  const double middle = static_cast<double>(n) / 2;
  const auto first = static_cast<std::size_t>(std::max(0.0, middle - reach));
  const auto last = std::min(n, static_cast<std::size_t>(middle + reach) + 1);
  double before = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double p = static_cast<double>(i + 1) / static_cast<double>(n);
    const double until = (binomial_at_least(n, p, lower) + binomial_at_least(n, p, upper)) / 2;
    weights[i] = std::max(0.0, until - before);
    before = until;
  }
  return weights;
}

std::vector<Atom> median_distribution(const std::vector<double>& sorted, const std::vector<double>& weights) {
  std::vector<Atom> atoms;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (weights[i] > 1e-9) atoms.push_back({sorted[i], weights[i]});
  const std::size_t together = (atoms.size() + kMostAtoms - 1) / kMostAtoms;
  if (together <= 1) return atoms;
  std::vector<Atom> fewer;
  for (std::size_t i = 0; i < atoms.size(); i += together) {
    const std::size_t end = std::min(atoms.size(), i + together);
    Atom sum;
    for (std::size_t k = i; k < end; ++k) {
      sum.weight += atoms[k].weight;
      sum.value += atoms[k].weight * atoms[k].value;
    }
    sum.value /= sum.weight;
    fewer.push_back(sum);
  }
  return fewer;
}

/// The quantiles kTail and 1 - kTail.
std::pair<double, double> interval_of(std::vector<Atom> atoms) {
  std::sort(atoms.begin(), atoms.end(), [](const Atom& x, const Atom& y) { return x.value < y.value; });
  double all = 0;
  for (const Atom& atom : atoms) all += atom.weight;
  double low = atoms.front().value, high = atoms.back().value, sum = 0;
  for (const Atom& atom : atoms) {
    sum += atom.weight;
    if (sum <= kTail * all) continue;
    low = atom.value;
    break;
  }
  sum = 0;
  for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom) {
    sum += atom->weight;
    if (sum <= kTail * all) continue;
    high = atom->value;
    break;
  }
  return {low, high};
}

std::vector<double> sorted_values(const SampleRuns& runs) {
  std::vector<double> values;
  for (const std::vector<double>& run : runs) values.insert(values.end(), run.begin(), run.end());
  std::sort(values.begin(), values.end());
  return values;
}

/// How far the medians of runs lie apart.
struct RunSpread {
  double squares = 0;
  double degrees = 0;
  double runs = 0;

  explicit RunSpread(const SampleRuns& side) {
    std::vector<double> medians;
    for (const std::vector<double>& run : side)
      if (!run.empty()) medians.push_back(median_of(run));
    runs = static_cast<double>(medians.size());
    if (medians.empty()) return;
    degrees = runs - 1;
    double mean = 0;
    for (const double median : medians) mean += median / runs;
    for (const double median : medians) squares += (median - mean) * (median - mean);
  }
};

/// Half of an interval by the medians of runs alone; 0 where too few runs tell.
double error_by_runs(const SampleRuns& a, const SampleRuns& b) {
  const RunSpread of_a(a), of_b(b);
  const double degrees = of_a.degrees + of_b.degrees;
  if (degrees < 2) return 0;
  const double variance = (of_a.squares + of_b.squares) / degrees;
  return student_t_995(degrees) * std::sqrt(variance * (1 / of_a.runs + 1 / of_b.runs));
}

}  // namespace

double MedianChange::error() const {
  return std::max(high - difference(), difference() - low);
}

double student_t_995(double degrees) {
  // Abramowitz and Stegun 26.7.5: within 1 % from four degrees on, 12 % below at two.
  const double z = kNormal, v = degrees;
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

MedianChange compare_medians(const SampleRuns& runs_a, const SampleRuns& runs_b) {
  const std::vector<double> a = sorted_values(runs_a), b = sorted_values(runs_b);
  MedianChange change;
  change.count_a = a.size();
  change.count_b = b.size();
  change.a = median_of(a);
  change.b = median_of(b);
  change.low = change.high = change.difference();
  change.low_part = change.high_part = change.part();
  change.is_enough = std::min(a.size(), b.size()) >= kLeastSamples;
  if (!change.is_enough) return change;

  const std::vector<double> weights_a = median_weights(a.size());
  const std::vector<double> weights_b = a.size() == b.size() ? weights_a : median_weights(b.size());
  const std::vector<Atom> medians_a = median_distribution(a, weights_a), medians_b = median_distribution(b, weights_b);
  std::vector<Atom> differences, parts;
  differences.reserve(medians_a.size() * medians_b.size());
  for (const Atom& of_a : medians_a)
    for (const Atom& of_b : medians_b) {
      differences.push_back({of_b.value - of_a.value, of_a.weight * of_b.weight});
      if (of_a.value > 0) parts.push_back({of_b.value / of_a.value - 1, of_a.weight * of_b.weight});
    }
  std::tie(change.low, change.high) = interval_of(std::move(differences));
  if (!parts.empty()) std::tie(change.low_part, change.high_part) = interval_of(std::move(parts));

  const auto least = static_cast<double>(std::min(a.size(), b.size()));
  const double wider =
      student_t_995(static_cast<double>(a.size() + b.size() - 2)) / kNormal * std::sqrt(least / (least - 1));
  const double between = error_by_runs(runs_a, runs_b);
  const auto widen = [&](double& low, double& high, double middle, double by_runs) {
    low = middle - std::max((middle - low) * wider, by_runs);
    high = middle + std::max((high - middle) * wider, by_runs);
  };
  widen(change.low, change.high, change.difference(), between);
  widen(change.low_part, change.high_part, change.part(), change.a > 0 ? between / change.a : 0);
  return change;
}

}  // namespace lacuna
