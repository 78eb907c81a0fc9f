#include "model/formats/chrome/structurals.h"

#include <algorithm>
#include <new>
#include <string>

#include <simdjson.h>

namespace lacuna {
namespace {

constexpr std::size_t kLargestText = std::size_t{1} << 30;
constexpr std::size_t kSmallestCapacity = 4096;

/// simdjson chooses its code for this CPU at the first use, and ends the process if there is no memory just then: so
/// choose while the program starts.
[[maybe_unused]] const std::string kCodeForThisCpu = simdjson::get_active_implementation()->name();

}  // namespace

struct Structurals::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
  std::size_t capacity = 0;

  bool reserve(std::size_t size) {
    if (size <= capacity) return true;
    const std::size_t wanted = std::max(size, kSmallestCapacity);
    const auto error = implementation ? implementation->set_capacity(wanted)
                                      : simdjson::get_active_implementation()->create_dom_parser_implementation(
                                            wanted, 1, implementation);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    capacity = error == simdjson::SUCCESS ? wanted : 0;
    return capacity != 0;
  }
};

Structurals::Structurals() : parser_(std::make_unique<Parser>()) {}
Structurals::~Structurals() = default;

bool Structurals::index(const char* text, std::size_t size) {
  static_assert(kPadding >= simdjson::SIMDJSON_PADDING);
  count_ = 0;
  end_ = static_cast<std::uint32_t>(size);
  positions_ = &end_;
  if (size == 0) return true;
  if (size > kLargestText || !parser_->reserve(size)) return false;
  auto& stage1 = *parser_->implementation;
  const auto error = stage1.stage1(reinterpret_cast<const std::uint8_t*>(text), size, simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return true;  // nothing but blanks
  if (error != simdjson::SUCCESS) return false;
  count_ = stage1.n_structural_indexes;
  stage1.structural_indexes[count_] = end_;
  positions_ = stage1.structural_indexes.get();
  return true;
}

}  // namespace lacuna
