#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "app/gui/application/requests.h"

namespace lacuna {

/// A page of the drawer and the question that it answers.
struct PageEntry {
  DrawerPage page;
  std::string_view title;    ///< on its tab
  std::string_view answers;  ///< the tooltip: a sentence
};

/// Pages that answer questions of one kind.
struct PageGroup {
  std::string_view title;
  std::string_view answers;
  std::span<const PageEntry> pages;
};

/// All groups, from left to right. Each page stands in one of them.
std::span<const PageGroup> page_groups();
const PageGroup& group_of(DrawerPage page);

/// A stable name, in findings and tests; and the page of one.
std::string_view page_key(DrawerPage page);
std::optional<DrawerPage> page_of_key(std::string_view key);

}  // namespace lacuna
