#include "tests/support/growth_check.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/counted_memory.h"
#include "tests/support/counted_work.h"

namespace lacuna {
namespace {

constexpr double kMostGrowth = 2.5 * 2.5 * 2.5;

struct CommandCost {
  MemoryAsked memory;
  std::uint64_t work = 0;
  std::size_t written = 0;
};

CommandCost cost_of(const std::function<void(std::string&)>& run) {
  std::string text;
  const MemoryAsked before = memory_asked();
  const std::uint64_t begin = work_done();
  run(text);
  const std::uint64_t end = work_done();
  const MemoryAsked after = memory_asked();
  return {{after.calls - before.calls, after.bytes - before.bytes}, end - begin, text.size()};
}

}  // namespace

void check_growth(std::string_view what, const std::function<void(bool is_large, std::string& answer)>& run) {
  constexpr double kFewCalls = 3000, kFewBytes = 300'000;
  const auto small = [&](std::string& text) { run(false, text); };
  const auto large = [&](std::string& text) { run(true, text); };
  (void)cost_of(small);  // what is made once
  CommandCost less = cost_of(small);
  CommandCost more = cost_of(large);
  const double written =
      static_cast<double>(more.written) / static_cast<double>(std::max<std::size_t>(less.written, 4096));
  const double most = std::max(kMostGrowth, written * 1.5);
  const auto growth = [](std::uint64_t a, std::uint64_t b, double floor) {
    return static_cast<double>(b) / std::max(static_cast<double>(a), floor);
  };
  double work = growth(less.work, more.work, little_work());
  // Of times the shortest counts: what else there was to do only adds to them.
  const double most_work = are_instructions_counted() ? most : most * 1.1;  // times are as exact as that
  for (int again = 0; again < 16 && work > most_work && !are_instructions_counted(); ++again) {
    less.work = std::min(less.work, cost_of(small).work);
    more.work = std::min(more.work, cost_of(large).work);
    work = growth(less.work, more.work, little_work());
  }
  CAPTURE(what);
  CAPTURE(less.memory.calls);
  CAPTURE(less.memory.bytes);
  CAPTURE(less.work);
  CAPTURE(more.work);
  CAPTURE(more.written);
  CHECK(growth(less.memory.calls, more.memory.calls, kFewCalls) <= most);
  CHECK(growth(less.memory.bytes, more.memory.bytes, kFewBytes) <= most);
  CHECK(work <= most_work);
}

}  // namespace lacuna
