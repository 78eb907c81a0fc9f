#include "model/formats/chrome/trace_facts.h"

#include <algorithm>
#include <array>

#include "model/formats/chrome/decimal.h"
#include "model/formats/chrome/event_walker.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 5> kKnown{"baseTimeNanoseconds", "displayTimeUnit", "distributedInfo",
                                                 "deviceProperties", "computeProperties"};

/// Calls visit(key, text) for each member of each object in `value`, an object or a list of objects,
/// and begin() before each object.
template <class Begin, class Visit>
void for_each_object(const std::string& value, Begin begin, Visit visit) {
  // The 0 in front, because token 0 means "not there".
  std::string list = "0," + (value.starts_with('[') ? value.substr(1) : value);
  const std::size_t size = list.size();
  list.append(Structurals::kPadding, '\0');
  Structurals structurals;
  if (!structurals.index(list.data(), size)) return;
  EventWalker walker;
  walker.start(list.data(), structurals);
  EventFields fields;
  for (auto step = walker.next(fields); step <= EventWalker::Step::kNotEvent; step = walker.next(fields)) {
    if (step != EventWalker::Step::kEvent) continue;
    begin();
    walker.for_each_member(fields.open, [&](TokenIndex key, TokenIndex member) {
      visit(token_content(walker.token(key)), token_content(walker.value_text(member)));
    });
  }
}

void add_devices(const std::string& value, TraceSource& facts) {
  const auto number = [](std::string_view text) { return parse_integer(text).value_or(0); };
  for_each_object(
      value, [&] { facts.devices.emplace_back(); },
      [&](std::string_view key, std::string_view text) {
        DeviceProperties& device = facts.devices.back();
        if (key == "id") append_unescaped(text, device.id);
        if (key == "name") append_unescaped(text, device.name);
        if (key == "totalGlobalMem") device.total_memory_bytes = static_cast<std::uint64_t>(number(text));
        if (key == "computeMajor" || key == "major") device.compute_major = static_cast<std::uint32_t>(number(text));
        if (key == "computeMinor" || key == "minor") device.compute_minor = static_cast<std::uint32_t>(number(text));
        if (key == "numSms") device.multiprocessors = static_cast<std::uint32_t>(number(text));
      });
}

/// "[0, 8, 16]": the whole numbers in it; nothing where some were left out ("...").
std::vector<std::int64_t> rank_list(std::string_view text) {
  std::vector<std::int64_t> ranks;
  if (text.find("...") != std::string_view::npos) return ranks;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    if (const auto rank = parse_integer(text.substr(begin, end - begin))) ranks.push_back(*rank);
    at = end;
  }
  return ranks;
}

void add_process_groups(const std::string& value, TraceSource& facts) {
  for_each_object(
      value, [&] { facts.process_groups.emplace_back(); },
      [&](std::string_view key, std::string_view text) {
        CommunicationGroup& group = facts.process_groups.back();
        if (key == "pg_name") append_unescaped(text, group.name);
        if (key == "pg_desc") append_unescaped(text, group.description);
        if (key == "pg_size") group.size = parse_integer(text).value_or(0);
        if (key == "ranks") group.ranks = rank_list(text);
      });
}

}  // namespace

bool is_known_fact(std::string_view key) {
  return std::ranges::find(kKnown, key) != kKnown.end();
}

bool add_fact(std::string_view key, const std::string& value, TraceSource& facts) {
  if (key == "baseTimeNanoseconds") {
    const auto base = parse_integer(token_content(value));
    if (!base) return false;
    facts.base_time_ns = *base;
    facts.has_base_time = true;
    return true;
  }
  if (key == "displayTimeUnit") {
    facts.display_time_unit.clear();
    append_unescaped(token_content(value), facts.display_time_unit);
    return true;
  }
  if (key == "distributedInfo") {
    for_each_object(
        value, [] {},
        [&](std::string_view name, std::string_view text) {
          if (name == "rank") facts.rank = parse_integer(text);
          if (name == "world_size") facts.world_size = parse_integer(text);
          if (name == "pg_config") add_process_groups(std::string(text), facts);
        });
    return false;  // it says more than that
  }
  const std::size_t before = facts.devices.size();
  add_devices(value, facts);
  return facts.devices.size() > before;
}

}  // namespace lacuna
