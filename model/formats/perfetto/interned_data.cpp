#include "model/formats/perfetto/interned_data.h"

#include <algorithm>

#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

constexpr std::array<std::uint32_t, 14> kInternedKinds{
    kInternedCategory,         kInternedEventName,      kInternedAnnotationName,  kInternedSourceLocation,
    kInternedFunctionName,     kInternedFrame,          kInternedCallStack,       kInternedGraphicsContext,
    kInternedGpuSpecification, kInternedAnnotationText, kInternedCorrelationText, kInternedGpuCounters,
    kInternedComputeKernel,    kInternedComputeArgument};

/// Of which the text alone is of interest.
bool is_interned_text(std::uint32_t field) {
  return field == kInternedCategory || field == kInternedEventName || field == kInternedAnnotationName ||
         field == kInternedFunctionName || field == kInternedAnnotationText || field == kInternedCorrelationText ||
         field == kInternedComputeArgument;
}

}  // namespace

std::size_t InternedData::index_of(std::uint32_t field) {
  return static_cast<std::size_t>(std::ranges::find(kInternedKinds, field) - kInternedKinds.begin());
}

InternedData::Generation InternedData::begin() {
  generations_.emplace_back();
  bytes_ += sizeof(EntriesByKind);
  return static_cast<Generation>(generations_.size() - 1);
}

std::string_view InternedData::keep(std::string_view text) {
  if (const auto known = texts_.find(text); known != texts_.end()) return known->first;
  auto made = std::make_unique<std::string>(text);
  const std::string_view kept = *made;
  texts_.emplace(kept, std::move(made));
  bytes_ += kept.size() + sizeof(std::string) + 4 * sizeof(void*);
  return kept;
}

void InternedData::add(Generation generation, std::string_view message) {
  WireMessage data(message);
  for (WireField field; data.next(field);) {
    const std::size_t kind = index_of(field.number);
    if (kind >= kKinds || field.type != WireField::Type::kBytes) continue;
    std::uint64_t id = 0;
    std::string_view text = is_interned_text(field.number) ? std::string_view{} : field.bytes;
    WireMessage entry(field.bytes);
    for (WireField part; entry.next(part);) {
      if (part.number == 1) id = part.value;
      if (part.number == 2 && is_interned_text(field.number)) text = part.bytes;
    }
    std::unique_ptr<Entries>& entries = generations_[generation][kind];
    if (!entries) {
      entries = std::make_unique<Entries>();
      bytes_ += sizeof(Entries);
    }
    const auto [place, is_new] = entries->try_emplace(id);
    if (!is_new) continue;
    place->second = keep(text);
    bytes_ += sizeof(Entries::value_type) + 2 * sizeof(void*);
  }
}

std::string_view InternedData::find(Generation generation, InternedField kind, std::uint64_t id) const {
  const std::unique_ptr<Entries>& entries = generations_[generation][index_of(kind)];
  if (!entries) return {};
  const auto found = entries->find(id);
  return found == entries->end() ? std::string_view{} : found->second;
}

}  // namespace lacuna
