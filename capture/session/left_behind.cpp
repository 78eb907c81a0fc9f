#include "capture/session/left_behind.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "capture/session/process_tree.h"
#include "capture/wire/handshake.h"

namespace lacuna {
namespace {

constexpr Nanos kMillisecondNs = 1'000'000;
/// For processes that are ending anyway.
constexpr Nanos kShortWaitNs = 500 * kMillisecondNs;
/// For processes that may still load what is captured: a Python that imports PyTorch.
constexpr Nanos kLongestWaitNs = 5000 * kMillisecondNs;
constexpr Nanos kLookEveryNs = 100 * kMillisecondNs;
constexpr std::size_t kMostNamesListed = 5;

void add_name(const ProcessEntry& entry, std::string& names, std::size_t& count) {
  if (++count > kMostNamesListed + 1) return;
  if (!names.empty()) names += ", ";
  names += count > kMostNamesListed ? "…" : fmt::format("{} ({})", entry.name, entry.pid);
}

}  // namespace

LeftBehind::Found LeftBehind::look() const {
  Found found;
  const std::string ours = fmt::format("{}={}", wire::kSocketVariable, socket_);
  for (const ProcessEntry& entry : all_processes()) {
    if (entry.state == 'Z' || entry.pid == getpid()) continue;
    const auto environment = environment_of(entry.pid);
    if (!environment || std::ranges::find(*environment, ours) == environment->end()) continue;
    if (has_mapped(entry.pid, "liblacuna_collector")) {
      add_name(entry, found.captured, found.captured_count);
    } else {
      add_name(entry, found.uncaptured, found.uncaptured_count);
    }
  }
  return found;
}

bool LeftBehind::is_over(Nanos now, std::uint64_t running, bool is_asked_to_end) {
  const bool is_first = !ended_;
  if (is_first) ended_ = now;
  const Nanos waited = now - *ended_;
  if (!waits_ || is_asked_to_end) return running == 0 || waited > kShortWaitNs;
  if (is_first || now - looked_ >= kLookEveryNs) {
    looked_ = now;
    found_ = look();
  }
  const bool may_come = found_.uncaptured_count > 0 && waited < kLongestWaitNs;
  if (running == 0 && found_.captured_count == 0 && !may_come) return true;
  // What just ends with the command is not worth a word.
  if (waited <= kShortWaitNs) return false;
  if (!found_.captured.empty() && !std::exchange(has_reported_captured_, true))
    messages_.push_back(
        fmt::format("the command has ended, but recorded processes go on: {}. Recording until they end; "
                    "stopping now ends the recording, not them",
                    found_.captured));
  if (found_.captured.empty() && !found_.uncaptured.empty() && !std::exchange(has_reported_uncaptured_, true))
    messages_.push_back(
        fmt::format("the command has ended; waiting a few seconds for what it left behind: {}", found_.uncaptured));
  return false;
}

std::vector<std::string> LeftBehind::take_messages() {
  return std::exchange(messages_, {});
}

std::string LeftBehind::last_words(std::uint64_t running) const {
  const Found found = look();
  if (running > 0 || found.captured_count > 0)
    return fmt::format("recorded processes still run: {}; what they do now is not recorded",
                       found.captured.empty() ? std::to_string(running) : found.captured);
  if (found.uncaptured_count > 0)
    return fmt::format("processes of the command still run and were not recorded: {}", found.uncaptured);
  return {};
}

}  // namespace lacuna
