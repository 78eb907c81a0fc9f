#include "capture/session/name_list.h"

#include <utility>

#include "model/base/demangled.h"

namespace lacuna {

bool NameList::add(std::uint32_t id, std::string_view text) {
  if (id - wire::kFirstName != names_.size()) return false;
  if (names_.size() >= kMostNames) return false;
  bytes_ += text.size();
  names_.emplace_back(bytes_ > kMostBytes ? std::string_view("(name lost)") : text);
  return true;
}

std::string_view NameList::get(std::uint32_t id) const {
  if (id == wire::kNoName) return {};
  return has(id) ? std::string_view(names_[id - wire::kFirstName]) : std::string_view("(name lost)");
}

std::string_view NameList::demangled(std::uint32_t id) {
  const std::string_view name = get(id);
  if (!name.starts_with("_Z")) return name;
  const auto [entry, is_new] = demangled_.try_emplace(id);
  if (is_new) {
    entry->second = name;
    if (auto plain = lacuna::demangled(entry->second)) entry->second = std::move(*plain);
  }
  return entry->second;
}

}  // namespace lacuna
