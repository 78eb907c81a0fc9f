#include "model/import/argument_reader.h"

#include <algorithm>

#include "model/formats/chrome/json_text.h"
#include "model/import/quick_arguments.h"
#include "model/import/valid_arguments.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

// Mostly a few events away: small enough to stay in the cache between reading and scanning.
constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kPage = std::size_t{1} << 12;
constexpr std::uint64_t kFar = 16 << 10;
constexpr std::size_t kMostEvent = std::size_t{64} << 20;

/// The import found nothing to mend in the text of this source.
bool is_valid_text(const TraceSource& source) {
  for (auto f = Finding::kTrailingComma; f <= Finding::kTrailingGarbage;
       f = static_cast<Finding>(static_cast<int>(f) + 1))
    if (f != Finding::kByteOrderMark && f != Finding::kDuplicateKey && source.report.count(f) > 0) return false;
  return true;
}

}  // namespace

ArgumentReader::ArgumentReader(const TraceSource& source)
    : bytes_(*source.bytes), window_(bytes_), is_valid_(is_valid_text(source)), tolerant_(bytes_) {
  tolerant_.keep_all();
}

bool ArgumentReader::read(std::uint64_t offset, std::span<const std::string_view> keys,
                          std::span<std::string_view> values) {
  return read_here(offset,
                   [&](std::string_view text) {
                     return (is_valid_ && read_valid_arguments(text, keys, values)) ||
                            read_arguments_quickly(text, keys, values);
                   }) ||
         read_carefully(offset, keys, values);
}

std::string_view ArgumentReader::read_text(std::uint64_t offset) {
  std::string_view found;
  const std::uint64_t before = begin_;
  const auto take = [&](std::string_view text) {
    found = find_event_quickly(text);
    return !found.empty();
  };
  if (!is_valid_ || !read_here(offset, take)) {
    if (!mend(offset)) return {};
    const auto size = static_cast<std::size_t>(tolerant_.offset() - offset);
    chunk_ = window_.at(offset, size);
    begin_ = offset;
    if (chunk_.size() < size) return {};
    found = chunk_.substr(0, size);
  }
  if (begin_ == before || !bytes_.has_changed()) return found;
  chunk_ = {};
  return {};
}

/// take(text from `offset` on) is asked with more and more text until it says that this is enough.
template <class Take>
bool ArgumentReader::read_here(std::uint64_t offset, Take&& take) {
  // Mostly the event lies in what was read for the one before.
  if (offset >= begin_ && offset - begin_ < chunk_.size() &&
      take(chunk_.substr(static_cast<std::size_t>(offset - begin_)))) {
    last_ = offset;
    return true;
  }
  // Where events lie far apart, what is between them is not read.
  const bool is_far = offset - last_ > kFar;
  last_ = offset;
  for (std::size_t wanted = is_far ? kPage : kChunk; wanted <= kMostEvent; wanted *= 16) {
    chunk_ = window_.at(offset, wanted);
    begin_ = offset;
    if (take(chunk_)) return true;
    if (chunk_.size() < wanted) break;           // the data end
    if (is_too_odd_ && wanted >= kChunk) break;  // a broken file: more bytes do not help
  }
  is_too_odd_ = true;
  return false;
}

/// Any event that the import accepted, mended as there.
bool ArgumentReader::mend(std::uint64_t offset) {
  ImportReport ignored;
  tolerant_.start(offset, false, ignored);
  return tolerant_.find_entry() == TolerantList::Found::kEntry && tolerant_.offset() == offset &&
         tolerant_.read_entry() == TolerantList::Read::kEvent;
}

bool ArgumentReader::read_carefully(std::uint64_t offset, std::span<const std::string_view> keys,
                                    std::span<std::string_view> values) {
  if (!mend(offset)) return false;
  std::ranges::fill(values, std::string_view{});
  const EventWalker& tokens = tolerant_.tokens();
  tokens.for_each_member(tolerant_.fields().args, [&](TokenIndex key, TokenIndex value) {
    const auto found = std::ranges::find(keys, token_content(tokens.token(key)));
    if (found != keys.end()) values[static_cast<std::size_t>(found - keys.begin())] = tokens.value_text(value);
  });
  return true;
}

}  // namespace lacuna
