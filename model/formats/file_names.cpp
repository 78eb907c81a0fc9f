#include "model/formats/file_names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/formats/formats.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 4> kArchiveEndings{".zip", ".tar", ".tgz", ".lacuna"};

/// visit(ending, format) for each that the names of a format's files have; Chrome JSON, the last format, comes first.
template <class Visit>
void for_each_ending(Visit visit) {
  for (std::size_t i = all_formats().size(); i-- > 0;)
    for (const std::string_view ending : all_formats()[i]->endings)
      if (!ending.empty()) visit(ending, *all_formats()[i]);
}

void add_once(std::string_view ending, std::vector<std::string_view>& endings) {
  if (std::ranges::find(endings, ending) == endings.end()) endings.push_back(ending);
}

}  // namespace

const std::vector<std::string_view>& file_endings() {
  static const std::vector<std::string_view> endings = [] {
    std::vector<std::string_view> all;
    for_each_ending([&](std::string_view ending, const Format&) { add_once(ending, all); });
    all.insert(all.end(), kContainerEndings.begin(), kContainerEndings.end());
    all.insert(all.end(), kArchiveEndings.begin(), kArchiveEndings.end());
    return all;
  }();
  return endings;
}

bool looks_like_trace(std::string_view name) {
  const std::string lower = to_lower(name);
  const auto begins = [&](const Format* format) {
    return !format->name_begins.empty() && lower.starts_with(format->name_begins);
  };
  return std::ranges::any_of(file_endings(), [&](std::string_view ending) { return lower.ends_with(ending); }) ||
         std::ranges::any_of(all_formats(), begins);
}

bool is_named_for(FormatUse use, std::string_view name) {
  const std::string lower = to_lower(name);
  std::string_view inner = lower;
  for (const std::string_view container : kContainerEndings)
    if (inner.ends_with(container)) inner.remove_suffix(container.size());
  bool is_found = false;
  for_each_ending([&](std::string_view ending, const Format& format) {
    is_found |= format.use == use && (format.may_be_compressed ? inner : lower).ends_with(ending);
  });
  return is_found;
}

bool is_named_archive(std::string_view name) {
  const std::string lower = to_lower(name);
  return std::ranges::any_of(kArchiveEndings, [&](std::string_view ending) { return lower.ends_with(ending); }) ||
         lower.ends_with(".tar.gz") || lower.ends_with(".tar.zst");
}

std::string describe_names(std::span<const FormatUse> uses) {
  std::vector<std::string_view> plain;
  std::vector<std::string_view> compressed;
  for_each_ending([&](std::string_view ending, const Format& format) {
    if (std::ranges::find(uses, format.use) != uses.end())
      add_once(ending, format.may_be_compressed ? compressed : plain);
  });
  std::string text = compressed.empty() ? "" : fmt::format("*{}", fmt::join(compressed, ", *"));
  if (!compressed.empty()) text += fmt::format(", also with {}", fmt::join(kContainerEndings, " or "));
  if (!plain.empty()) text += fmt::format("{}*{}", text.empty() ? "" : "; ", fmt::join(plain, ", *"));
  return text;
}

}  // namespace lacuna
