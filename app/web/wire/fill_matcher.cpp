#include "app/web/wire/fill_matcher.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <unordered_map>

namespace lacuna {
namespace {

/// So many are asked at most.
constexpr std::size_t kAsked = 600;
/// Where fewer than one of so many stayed, or went the same way, naming them spares less than the search costs.
constexpr std::size_t kFewest = 50;
/// … unless so many do, and they are half of those that tell anything.
constexpr std::size_t kAgreeing = 3;
/// So many with the same hash are looked at: rectangles that lie on each other are not told apart for any price.
constexpr int kLongestWalk = 8;

/// `at`: the place in the row, or the width, as the table asks. Its highest bits are mixed best.
std::uint64_t fill_hash(const WireFill& fill, std::int64_t at) {
  const auto pair = [](std::int32_t high, std::uint32_t low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | low;
  };
  const std::uint64_t a = pair(fill.y, static_cast<std::uint32_t>(at)) * 0x9E3779B97F4A7C15u;
  const std::uint64_t b = pair(fill.height, fill.colour) * 0xC2B2AE3D27D4EB4Fu;
  return ((a ^ a >> 29) + b) * 0x165667B19E3779F9u;
}

bool are_of_kind(const WireFill& a, const WireFill& b) {
  return a.y == b.y && a.height == b.height && a.colour == b.colour;
}

bool is_like(const WireFill& before, const WireFill& now, std::int32_t shift, int tolerance) {
  return are_of_kind(before, now) && std::abs(std::int64_t{now.width} - before.width) <= tolerance &&
         std::abs(std::int64_t{now.x} - shift - before.x) <= tolerance;
}

}  // namespace

void FillMatcher::Chains::reset(std::size_t count) {
  const std::size_t size = std::bit_ceil(2 * count + 2);
  heads_.assign(size, kEnd);
  next_.resize(count);
  shift_ = 64 - std::countr_zero(size);
}

void FillMatcher::Chains::add(std::uint64_t hash, std::uint32_t number) {
  std::uint32_t& head = heads_[hash >> shift_];
  next_[number] = head;
  head = number;
}

bool FillMatcher::ask_sample(const std::vector<WireFill>& before, const std::vector<WireFill>& now) {
  const auto like = [&](const WireFill& fill, std::uint64_t hash) {
    std::uint32_t at = of_samples_.first(hash);
    while (at != Chains::kEnd && !(are_of_kind(samples_[at].fill, fill) && samples_[at].fill.width == fill.width))
      at = of_samples_.next(at);
    return at;
  };
  samples_.clear();
  of_samples_.reset(std::min(now.size(), 2 * kAsked));
  const std::size_t step = std::max<std::size_t>(1, now.size() / kAsked);
  for (std::size_t i = 0; i < now.size(); i += step) {
    const std::uint64_t hash = fill_hash(now[i], now[i].width);
    if (like(now[i], hash) != Chains::kEnd) continue;
    of_samples_.add(hash, static_cast<std::uint32_t>(samples_.size()));
    samples_.push_back({now[i], 0, false, {}});
  }
  for (const WireFill& fill : before) {
    ++looks_;
    const std::uint32_t at = like(fill, fill_hash(fill, fill.width));
    if (at == Chains::kEnd) continue;
    Sample& sample = samples_[at];
    if (sample.alike < std::size(sample.shifts)) sample.shifts[sample.alike] = sample.fill.x - fill.x;
    ++sample.alike;
    sample.stayed = sample.stayed || fill.x == sample.fill.x;
  }
  std::unordered_map<std::int32_t, std::size_t> votes;
  std::size_t most = 0, stayed = 0, telling = 0;
  for (const Sample& sample : samples_) {
    stayed += sample.stayed ? 1 : 0;
    // One that has more of its kind says little about where it came from.
    if (sample.alike > std::size(sample.shifts)) continue;
    telling += sample.alike > 0 ? 1 : 0;
    for (std::uint32_t i = 0; i < sample.alike; ++i) {
      if (sample.shifts[i] == 0) continue;
      if (const std::size_t count = ++votes[sample.shifts[i]]; count > most) {
        most = count;
        shift_ = sample.shifts[i];
      }
    }
  }
  // Few may tell anything, where most have many of their kind; then those agree.
  const bool they_agree = most >= kAgreeing && most * 2 >= telling;
  if (most * kFewest < samples_.size() && !they_agree) shift_ = 0;
  return shift_ != 0 || (stayed > 0 && stayed * kFewest >= samples_.size());
}

void FillMatcher::index(const std::vector<WireFill>& before) {
  of_before_.reset(before.size());
  for (std::size_t i = before.size(); i-- > 0;)
    of_before_.add(fill_hash(before[i], before[i].x), static_cast<std::uint32_t>(i));
}

std::size_t FillMatcher::find(const std::vector<WireFill>& before, const WireFill& fill, std::int32_t shift,
                              int tolerance) {
  for (const int off : {0, -1, 1}) {
    if (std::abs(off) > tolerance) break;
    std::uint32_t at = of_before_.first(fill_hash(fill, std::int64_t{fill.x} - shift + off));
    for (int left = kLongestWalk; at != Chains::kEnd && left > 0; --left, at = of_before_.next(at)) {
      ++looks_;
      if (is_like(before[at], fill, shift, tolerance)) return at;
    }
  }
  return before.size();
}

void FillMatcher::match(const std::vector<WireFill>& before, const std::vector<WireFill>& now) {
  runs_.clear();
  shift_ = 0;
  looks_ = 0;
  if (now.empty()) return;
  if (before.empty() || !ask_sample(before, now)) {
    runs_.push_back({Source::kNew, now.size(), 0});
    return;
  }
  index(before);
  struct Way {
    Source source;
    std::int32_t shift;
    int tolerance;
  };
  const Way ways[] = {{Source::kShifted, shift_, 1}, {Source::kSame, 0, 0}};
  for (const WireFill& fill : now) {
    // On from where the last one was, if that goes.
    if (!runs_.empty() && runs_.back().source != Source::kNew) {
      Run& run = runs_.back();
      const Way& way = ways[run.source == Source::kShifted ? 0 : 1];
      const std::size_t next = run.first + run.count;
      ++looks_;
      if (next < before.size() && is_like(before[next], fill, way.shift, way.tolerance)) {
        ++run.count;
        continue;
      }
    }
    Run found{Source::kNew, 1, 0};
    for (const Way& way : ways) {
      if (way.source == Source::kShifted && shift_ == 0) continue;
      const std::size_t at = find(before, fill, way.shift, way.tolerance);
      if (at == before.size()) continue;
      found = {way.source, 1, at};
      break;
    }
    if (found.source == Source::kNew && !runs_.empty() && runs_.back().source == Source::kNew)
      ++runs_.back().count;
    else
      runs_.push_back(found);
  }
}

}  // namespace lacuna
