#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/job/rank_facts.h"

namespace lacuna {

// The columns of a digest; also their documentation: names, the members of JobRank that they hold, units. An
// archive (digest_file.cpp) visits them to build the schema, to write and to read: number, text, optional, list.
// Adding, removing or changing a column raises kDigestVersion.

/// A nonzero entry of RankStep::idle.
struct IdleRow {
  std::uint32_t cause = 0;  ///< GapCause
  IdleUse use;
};

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const IdleRow*) {
  a.number("cause", row.cause);
  a.number("total", row.use.total);
  a.number("longest_start", row.use.longest_start);
  a.number("longest", row.use.longest);
  a.number("what", row.use.what);
}

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const RankGroup*) {
  a.text("name", row.name);
  a.text("description", row.description);
  a.number("size", row.size);
  a.list("ranks", row.ranks);
  a.text("stream", row.stream);
}

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const RankStep*) {
  a.optional("number", row.number);
  a.number("start", row.start);
  a.number("end", row.end);
  a.number("compute", row.compute);
  a.number("preempted", row.preempted);
  a.number("longest_preempted_start", row.longest_preempted_start);
  a.number("longest_preempted", row.longest_preempted);
  a.number("waited", row.waited);
  a.number("longest_waited_start", row.longest_waited_start);
  a.number("longest_waited", row.longest_waited);
  a.number("waited_in", row.waited_in);
  a.number("clock_mhz", row.clock_mhz);
  a.number("lowest_clock_mhz", row.lowest_clock_mhz);
  a.number("lowest_clock_start", row.lowest_clock_start);
  a.number("clock_reason", row.clock_reason);
  std::vector<IdleRow> idle;
  for (std::size_t c = 0; c < row.idle.size(); ++c)
    if (row.idle[c].total != 0) idle.push_back({static_cast<std::uint32_t>(c), row.idle[c]});
  a.list("idle", idle);
  if constexpr (Archive::kReads)
    for (const IdleRow& one : idle)
      if (one.cause < row.idle.size()) row.idle[one.cause] = one.use;
}

/// What many collectives of a rank share: CollectivePart without its times.
struct CollectiveKind {
  std::uint32_t name = 0, kernel = 0, dtype = 0, group = 0;
  std::int32_t peer = -1;
  bool is_send = false;
  std::int64_t in_elements = -1, out_elements = -1;
  auto operator<=>(const CollectiveKind&) const = default;
};

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const CollectiveKind*) {
  a.number("name", row.name);
  a.number("kernel", row.kernel);
  a.number("dtype", row.dtype);
  a.number("group", row.group);
  a.number("peer", row.peer);
  a.number("is_send", row.is_send);
  a.number("in_elements", row.in_elements);
  a.number("out_elements", row.out_elements);
}

/// A CollectivePart whose other members are in kinds[kind].
struct CollectiveRow {
  CollectivePart part;
  std::uint32_t kind = 0;
};

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const CollectiveRow*) {
  a.number("kind", row.kind);
  a.number("start", row.part.start);
  a.number("end", row.part.end);
  a.number("own_work", row.part.own_work);
  a.number("released_by", row.part.released_by);
  a.number("step", row.part.step);
  a.number("sequence", row.part.sequence);
  a.number("comms_id", row.part.comms_id);
}

/// Splits collectives into kinds and rows.
inline void split_kinds(const std::vector<CollectivePart>& parts, std::vector<CollectiveKind>& kinds,
                        std::vector<CollectiveRow>& rows) {
  std::map<CollectiveKind, std::uint32_t> known;
  rows.reserve(parts.size());
  for (const CollectivePart& p : parts) {
    const CollectiveKind kind{p.name, p.kernel, p.dtype, p.group, p.peer, p.is_send, p.in_elements, p.out_elements};
    const auto [at, is_new] = known.try_emplace(kind, static_cast<std::uint32_t>(kinds.size()));
    if (is_new) kinds.push_back(kind);
    rows.push_back({p, at->second});
  }
}

/// Inverse of split_kinds(). A row with an invalid kind gets an invalid name, too.
inline void join_kinds(const std::vector<CollectiveKind>& kinds, const std::vector<CollectiveRow>& rows,
                       std::vector<CollectivePart>& parts) {
  parts.reserve(rows.size());
  for (const CollectiveRow& row : rows) {
    CollectivePart part = row.part;
    const CollectiveKind kind =
        row.kind < kinds.size() ? kinds[row.kind] : CollectiveKind{kNoIndex, 0, 0, 0, -1, false, -1, -1};
    part.name = kind.name;
    part.kernel = kind.kernel;
    part.dtype = kind.dtype;
    part.group = kind.group;
    part.peer = kind.peer;
    part.is_send = kind.is_send;
    part.in_elements = kind.in_elements;
    part.out_elements = kind.out_elements;
    parts.push_back(part);
  }
}

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const KernelUse*) {
  a.number("name", row.name);
  a.number("shape", row.shape);
  a.number("step", row.step);
  a.number("count", row.count);
  a.number("total", row.total);
  a.number("longest_start", row.longest_start);
  a.number("longest", row.longest);
}

template <class Archive, class Row>
void digest_columns(Archive& a, Row& row, const JobRank*) {
  a.text("file", row.file);
  a.number("rank", row.rank);
  a.number("rank_is_guessed", row.rank_is_guessed);
  a.optional("world_size", row.world_size);
  a.text("host", row.host);
  a.number("slices", row.slices);
  a.number("json_bytes", row.json_bytes);
  a.number("epoch", row.epoch);
  a.list("texts", row.texts);
  a.list("losses", row.losses);
  a.list("groups", row.groups);
  a.list("steps", row.steps);
  std::vector<CollectiveKind> kinds;
  std::vector<CollectiveRow> collectives;
  if constexpr (!Archive::kReads) split_kinds(row.collectives, kinds, collectives);
  a.list("kinds", kinds);
  a.list("collectives", collectives);
  if constexpr (Archive::kReads) join_kinds(kinds, collectives, row.collectives);
  a.list("kernels", row.kernels);
}

}  // namespace lacuna
