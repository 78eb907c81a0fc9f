#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

/// One of the pages beside this file (report_page.html …), compiled in as a string by CMake: the frame and style around
/// the content that a command fills in.
struct HtmlPage {
  std::string_view before;
  std::string_view after;

  /// Fails to compile if the page does not mark the place of the content.
  static constexpr HtmlPage of(std::string_view page) {
    constexpr std::string_view kMark = "<!-- content -->\n";
    const std::size_t at = page.find(kMark);
    if (at == page.npos) throw "no place for the content";
    return {page.substr(0, at), page.substr(at + kMark.size())};
  }
};

}  // namespace lacuna
