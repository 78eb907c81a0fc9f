#include "capture/session/memory_totals.h"

#include <algorithm>
#include <limits>

#include "model/base/time.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kRelease = 2;                // CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
constexpr std::uint32_t kPageable = 1, kPinned = 2;  // CUPTI_ACTIVITY_MEMORY_KIND_*

std::int64_t signed_bytes(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::int64_t>::max() / 2));
}

}  // namespace

MemoryTotals::Change MemoryTotals::apply(const wire::MemoryRecord& record) {
  Change change;
  change.is_host = record.memory_kind == kPageable || record.memory_kind == kPinned;
  change.bytes = signed_bytes(record.bytes);
  const auto known = bytes_at_.find(record.address);
  if (record.operation == kRelease) {
    if (change.bytes == 0 && known != bytes_at_.end()) change.bytes = signed_bytes(known->second);
    if (known != bytes_at_.end()) bytes_at_.erase(known);
    change.bytes = -change.bytes;
  } else if (known != bytes_at_.end() || bytes_at_.size() < kMostKnown) {
    bytes_at_[record.address] = record.bytes;
  }
  std::int64_t& total = totals_[{change.is_host, change.is_host ? 0 : record.device}];
  total = saturating_add(total, change.bytes);
  change.total = total;
  return change;
}

}  // namespace lacuna
