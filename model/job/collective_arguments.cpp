#include "model/job/collective_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"
#include "model/trace/string_pool.h"

namespace lacuna {
namespace {

// libkineto's ParamCommsMetadata (MetadataFieldCatalog.h).
enum Key : std::size_t {
  kName,
  kDtype,
  kInElements,
  kOutElements,
  kGroupSize,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kSequence,
  kCommsId,
  kSource,
  kDestination,
  kRankStart,
  kRankStride,
  kKeyCount,
};
constexpr std::array<std::string_view, kKeyCount> kCollectiveKeys{"Collective name",
                                                                  "dtype",
                                                                  "In msg nelems",
                                                                  "Out msg nelems",
                                                                  "Group size",
                                                                  "Process Group Name",
                                                                  "Process Group Description",
                                                                  "Process Group Ranks",
                                                                  "Seq",
                                                                  "Comms Id",
                                                                  "Src Rank",
                                                                  "Dst Rank",
                                                                  "Global rank start",
                                                                  "Global rank stride"};
/// More ranks than any group has: a list is not believed beyond it.
constexpr std::int64_t kMostRanks = 1 << 20;

std::string text_of(std::string_view token) {
  std::string text;
  append_unescaped(token_content(token), text);
  return text;
}

std::int64_t whole_number_of(std::string_view token, std::int64_t otherwise) {
  const std::string_view text = token_content(token);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : otherwise;
}

/// "[0, 1, 2]" as a list or a string; nothing where ranks were left out of it ("[0, 8, ..., 56]").
std::vector<std::int64_t> listed_ranks(std::string_view token) {
  std::vector<std::int64_t> ranks;
  const std::string_view text = token_content(token);
  if (text.find("...") != std::string_view::npos) return ranks;
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_of("0123456789", at);
    if (at == std::string_view::npos) break;
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), rank);
    if (error != std::errc{}) return {};
    ranks.push_back(rank);
    at = static_cast<std::size_t>(end - text.data());
  }
  std::ranges::sort(ranks);
  return ranks;
}

class ArgumentTaker {
 public:
  ArgumentTaker(const TraceSource& source, JobRank& facts, FactTexts& texts, std::span<CollectivePart> parts)
      : source_(source), facts_(facts), texts_(texts), parts_(parts), taken_(parts.size()) {}

  bool has_taken(std::size_t part) const { return taken_[part]; }

  void take(std::size_t index, std::span<const std::string_view> values) {
    if (values[kName].empty()) return;
    taken_[index] = true;
    CollectivePart& part = parts_[index];
    const std::string name = text_of(values[kName]);
    part.name = texts_.add(name);
    part.dtype = texts_.add(text_of(values[kDtype]));
    part.in_elements = whole_number_of(values[kInElements], -1);
    part.out_elements = whole_number_of(values[kOutElements], -1);
    part.sequence = whole_number_of(values[kSequence], -1);
    const std::string id = text_of(values[kCommsId]);
    if (!id.empty() && id != "0" && id != "-1") part.comms_id = hash_text(id) | 1;
    const bool is_receive = name == "recv" || name == "irecv";
    part.is_send = name == "send" || name == "isend";
    if (part.is_send) part.peer = static_cast<std::int32_t>(whole_number_of(values[kDestination], -1));
    if (is_receive) part.peer = static_cast<std::int32_t>(whole_number_of(values[kSource], -1));
    part.group = group_of(values);
  }

  /// Of a trace that names no groups: what is on one stream belongs together.
  void take_stream(std::size_t index, const std::string& stream) {
    RankGroup group;
    group.stream = stream;
    parts_[index].group = add_group(std::move(group));
  }

 private:
  std::uint32_t group_of(std::span<const std::string_view> values) {
    // Equal args, equal group: looked at once.
    std::string key;
    for (const Key k : {kGroupName, kGroupDescription, kGroupRanks, kGroupSize, kRankStart, kRankStride})
      key.append(values[k]).push_back('\0');
    const auto [at, is_new] = by_values_.try_emplace(std::move(key), 0);
    if (is_new) at->second = add_group(read_group(values));
    return at->second;
  }

  RankGroup read_group(std::span<const std::string_view> values) const {
    RankGroup group;
    group.name = text_of(values[kGroupName]);
    group.description = text_of(values[kGroupDescription]);
    group.size = whole_number_of(values[kGroupSize], 0);
    group.ranks = listed_ranks(values[kGroupRanks]);
    if (group.size > 0 && group.ranks.size() != static_cast<std::size_t>(group.size)) group.ranks.clear();
    const std::int64_t start = whole_number_of(values[kRankStart], -1);
    const std::int64_t stride = whole_number_of(values[kRankStride], 0);
    if (group.ranks.empty()) {
      for (const CommunicationGroup& known : source_.process_groups)
        if (known.name == group.name &&
            (group.size == 0 || static_cast<std::int64_t>(known.ranks.size()) == group.size))
          group.ranks = known.ranks;
      std::ranges::sort(group.ranks);
    }
    if (group.ranks.empty() && start >= 0 && stride > 0 && group.size > 0 && group.size <= kMostRanks)
      for (std::int64_t i = 0; i < group.size; ++i) group.ranks.push_back(start + i * stride);
    for (const CommunicationGroup& known : source_.process_groups) {
      if (known.name != group.name) continue;
      if (group.description.empty()) group.description = known.description;
      if (group.size == 0) group.size = known.size;
    }
    return group;
  }

  std::uint32_t add_group(RankGroup group) {
    const auto key = std::tuple(group.name, group.description, group.size, group.ranks, group.stream);
    const auto [at, is_new] = groups_.try_emplace(key, static_cast<std::uint32_t>(facts_.groups.size()));
    if (is_new) facts_.groups.push_back(std::move(group));
    return at->second;
  }

  const TraceSource& source_;
  JobRank& facts_;
  FactTexts& texts_;
  std::span<CollectivePart> parts_;
  std::vector<bool> taken_;
  std::map<std::string, std::uint32_t> by_values_;
  std::map<std::tuple<std::string, std::string, std::int64_t, std::vector<std::int64_t>, std::string>, std::uint32_t>
      groups_;
};

Result<void> read_in_order(const Trace& trace, SourceId source, std::span<const SliceId> slices,
                           std::span<const std::size_t> parts, ArgumentTaker& taker) {
  if (slices.empty()) return {};
  const FileOrder order = in_file_order(trace, slices);
  return read_arguments_in_bulk(
      trace.sources()[source.value], order.offsets, kCollectiveKeys,
      [&](std::size_t k, std::span<const std::string_view> values) { taker.take(parts[order.indices[k]], values); });
}

/// The record_param_comms around the launch of `activity`, or an invalid id.
SliceId described_by(const Trace& trace, SliceId activity, StringId name) {
  if (!name.valid()) return {};
  SliceId at = trace.links().launch_of(activity);
  while (at.valid() && trace.lane(at).name(at.index) != name) at = trace.parent(at);
  return at;
}

}  // namespace

Result<void> read_collective_arguments(const Trace& trace, SourceId source, std::span<const SliceId> slices,
                                       JobRank& facts, FactTexts& texts, std::span<CollectivePart> parts) {
  ArgumentTaker taker(trace.sources()[source.value], facts, texts, parts);
  std::vector<std::size_t> all(slices.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const bool can_read = trace.sources()[source.value].bytes != nullptr;  // false for live captures
  if (can_read)
    if (auto read = read_in_order(trace, source, slices, all, taker); !read) return read;

  const StringId record = trace.strings().find("record_param_comms");
  std::vector<SliceId> around;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; can_read && i < slices.size(); ++i) {
    if (taker.has_taken(i)) continue;
    if (const SliceId slice = described_by(trace, slices[i], record); slice.valid()) {
      around.push_back(slice);
      left.push_back(i);
    }
  }
  if (auto read = read_in_order(trace, source, around, left, taker); !read) return read;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Track& track = trace.track_of(slices[i]);
    const bool is_gpu = track.kind == TrackKind::kGpuStream;
    if (!taker.has_taken(i)) taker.take_stream(i, std::string(is_gpu ? trace.text(track.stream) : kProcessorsStream));
  }
  return {};
}

}  // namespace lacuna
