#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/build/flow_linking.h"

namespace lacuna {
namespace {

/// The ends of one thread in the order of their ids.
struct EndsById {
  std::span<const FlowEnd> ends;
  std::uint32_t base = 0;           // of `ends` in the table of all
  PageVector<std::uint32_t> order;  // of `ends`; empty where they lie in that order, as launches of a thread mostly do

  const FlowEnd& at(std::size_t i) const { return ends[order.empty() ? i : order[i]]; }
  std::uint64_t id(std::size_t i) const { return at(i).id.value(); }
  std::uint32_t index(std::size_t i) const { return base + (order.empty() ? static_cast<std::uint32_t>(i) : order[i]); }
  std::size_t size() const { return ends.size(); }

  std::size_t first_from(std::uint64_t id_from) const {
    std::size_t low = 0;
    for (std::size_t high = size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (id(middle) < id_from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

EndsById order_by_id(std::span<const FlowEnd> ends, std::uint32_t base) {
  EndsById by_id{ends, base, {}};
  if (std::ranges::is_sorted(ends, {}, [](const FlowEnd& end) { return end.id.value(); })) return by_id;
  PageVector<SortKey> keys;
  keys.reserve(ends.size());
  for (std::uint32_t i = 0; i < ends.size(); ++i) keys.push_back({ends[i].id.value(), i});
  PageVector<SortKey> scratch;
  radix_sort(keys, scratch);
  by_id.order.reserve(ends.size());
  for (const SortKey& k : keys) by_id.order.push_back(k.index);
  return by_id;
}

/// Ids that part the ends into about `parts` shares, ascending. A share begins at its id.
std::vector<std::uint64_t> share_ids(std::span<const EndsById> threads, std::size_t total, std::size_t parts) {
  constexpr std::size_t kSamplesAPart = 64;
  const std::size_t step = std::max<std::size_t>(1, total / (parts * kSamplesAPart));
  std::vector<std::uint64_t> samples;
  for (const EndsById& thread : threads)
    for (std::size_t i = 0; i < thread.size(); i += step) samples.push_back(thread.id(i));
  std::ranges::sort(samples);
  std::vector<std::uint64_t> begins;
  for (std::size_t part = 1; part < parts && !samples.empty(); ++part) {
    const std::uint64_t id = samples[part * samples.size() / parts];
    if (begins.empty() || id > begins.back()) begins.push_back(id);
  }
  return begins;
}

/// Walks the ends of all threads whose ids lie in one range, id by id.
class IdMerge {
 public:
  /// Without `to`: to the last one.
  IdMerge(std::span<const EndsById> threads, const std::uint64_t* from, const std::uint64_t* to) : threads_(threads) {
    for (std::uint32_t t = 0; t < threads.size(); ++t) {
      const EndsById& thread = threads[t];
      const std::size_t begin = from == nullptr ? 0 : thread.first_from(*from);
      const std::size_t end = to == nullptr ? thread.size() : thread.first_from(*to);
      count_ += end - begin;
      if (begin < end) heads_.push_back({thread.id(begin), t, begin, end});
    }
    std::ranges::make_heap(heads_, is_later);
  }

  std::size_t count() const { return count_; }

  /// The indices of all ends of the next id, in no order; false when there are no more.
  bool next(std::vector<SortKey>& indices) {
    indices.clear();
    if (heads_.empty()) return false;
    const std::uint64_t id = heads_.front().id;
    while (!heads_.empty() && heads_.front().id == id) {
      std::ranges::pop_heap(heads_, is_later);
      Head& head = heads_.back();
      const EndsById& thread = threads_[head.thread];
      do {
        indices.push_back({id, thread.index(head.at++)});
      } while (head.at < head.end && (head.id = thread.id(head.at)) == id);
      if (head.at == head.end) {
        heads_.pop_back();
      } else {
        std::ranges::push_heap(heads_, is_later);
      }
    }
    return true;
  }

 private:
  struct Head {
    std::uint64_t id;
    std::uint32_t thread;
    std::size_t at;
    std::size_t end;
  };
  static bool is_later(const Head& a, const Head& b) { return a.id > b.id; }

  const std::span<const EndsById> threads_;
  std::vector<Head> heads_;
  std::size_t count_ = 0;
};

void chain_range(std::span<const FlowEnd> ends, IdMerge merge, PageVector<FlowArrow>& arrows, ImportReport& report,
                 const std::atomic<bool>* cancel) {
  const auto group = [&](const SortKey& k) { return std::tie(ends[k.index].source, ends[k.index].category); };
  const auto is_before = [&](const SortKey& a, const SortKey& b) {
    if (group(a) != group(b)) return group(a) < group(b);
    return std::tie(ends[a.index].time, ends[a.index].file_offset) <
           std::tie(ends[b.index].time, ends[b.index].file_offset);
  };
  arrows.reserve(merge.count() / 2);  // a start and a finish each, mostly
  CancelCheck gives_up(cancel);
  for (std::vector<SortKey> same_id; merge.next(same_id) && !gives_up();) {
    std::ranges::sort(same_id, is_before);
    const std::span<const SortKey> all(same_id);
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
      while (last < all.size() && group(all[last]) == group(all[first])) ++last;
      chain_ends(ends, all.subspan(first, last - first), arrows, report);
    }
  }
}

}  // namespace

std::vector<PageVector<FlowArrow>> chain_flows(const BoundFlows& flows, unsigned threads, ImportReport& report,
                                               const std::atomic<bool>* cancel) {
  constexpr std::size_t kLeastAPart = 16384;
  std::vector<EndsById> by_id(flows.threads.size());
  parallel_for(by_id.size(), threads, [&](std::size_t t) {
    const std::span<const FlowEnd> own = flows.threads[t];
    by_id[t] = order_by_id(own, static_cast<std::uint32_t>(own.data() - flows.ends.data()));
  });
  const std::size_t parts =
      threads == 1 ? 1 : std::clamp<std::size_t>(flows.ends.size() / kLeastAPart, 1, std::size_t{4} * threads);
  const std::vector<std::uint64_t> begins = share_ids(by_id, flows.ends.size(), parts);
  std::vector<PageVector<FlowArrow>> arrows(begins.size() + 1);
  std::vector<ImportReport> found(arrows.size());
  parallel_for(arrows.size(), threads, [&](std::size_t part) {
    const std::uint64_t* const from = part == 0 ? nullptr : &begins[part - 1];
    const std::uint64_t* const to = part == begins.size() ? nullptr : &begins[part];
    chain_range(flows.ends, IdMerge(by_id, from, to), arrows[part], found[part], cancel);
  });
  for (const ImportReport& of_part : found) report.merge(of_part);
  return arrows;
}

}  // namespace lacuna
