#include "model/formats/chrome/tolerant_list.h"

#include "model/base/ascii.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

bool is_scalar_start(int peeked) {
  const char c = static_cast<char>(peeked);
  return c == '-' || is_digit(c) || is_ascii_letter(c);
}

}  // namespace

void TolerantList::start(std::uint64_t offset, bool lacks_comma, ImportReport& report) {
  report_ = &report;
  mender_.set_report(report);
  mender_.seek(offset);
  needs_comma_ = lacks_comma;
}

TolerantList::Found TolerantList::find_entry() {
  bool has_comma = false;
  while (true) {
    const int c = mender_.peek_token();
    if (c == JsonMender::kEnd || c == ']') {
      if (has_comma) report_->add(Finding::kTrailingComma, mender_.offset());
      return c == ']' ? Found::kListEnd : Found::kDataEnd;
    }
    if (c == ',') {
      if (!needs_comma_) report_->add(Finding::kSyntaxRepaired, mender_.offset(), "a comma too many");
      has_comma = needs_comma_;
      needs_comma_ = false;
      mender_.take();
      continue;
    }
    if (c == '{' ? starts_object() : c == '"' || c == '[') break;
    if (is_scalar_start(c)) {
      const std::uint64_t start = mender_.offset();
      const std::string_view word = mender_.read_word();
      const bool is_value = word == "null" || word == "true" || word == "false" || is_json_number(word);
      report_->add(is_value ? Finding::kNotAnEvent : Finding::kJunkSkipped, start, word,
                   is_value ? 1 : mender_.offset() - start);
      if (is_value) needs_comma_ = true;
      continue;
    }
    report_->add(Finding::kJunkSkipped, mender_.offset());
    mender_.take();
  }
  if (needs_comma_) report_->add(Finding::kSyntaxRepaired, mender_.offset(), "a comma is missing");
  needs_comma_ = false;
  return Found::kEntry;
}

/// Is the '{' here an object, as far as its next character tells?
bool TolerantList::starts_object() {
  for (std::size_t i = 1; i < 4096; ++i) {
    const int c = mender_.peek(i);
    if (c == JsonMender::kEnd) return true;
    if (is_json_space(static_cast<char>(c))) continue;
    return c == '"' || c == '}' || c == ',' || is_scalar_start(c) || c == '_';
  }
  return true;
}

TolerantList::Read TolerantList::read_entry() {
  const std::uint64_t start = mender_.offset();
  const bool is_object = mender_.peek() == '{';
  text_.clear();
  // Repairs count only if they helped to read the entry.
  ImportReport repairs;
  mender_.set_report(repairs);
  const bool is_whole = mender_.mend_value(text_, keep_, JsonMender::Place::kInArray);
  mender_.set_report(*report_);
  if (is_whole) report_->merge(repairs);
  needs_comma_ = true;
  if (!is_whole) {
    report_->add(Finding::kUnterminated, start);
    return Read::kCutOff;
  }
  if (!is_object) return Read::kOther;
  const bool is_cut = mender_.was_cut();
  text_.append(Structurals::kPadding, '\0');
  const std::size_t size = text_.size() - Structurals::kPadding;
  if (!is_cut && structurals_.index(text_.data(), size)) {
    walker_.start(text_.data(), structurals_);
    if (walker_.next(fields_) == EventWalker::Step::kEvent) return Read::kEvent;
  }
  report_->add(Finding::kEventUnreadable, start);
  return Read::kUnreadable;
}

}  // namespace lacuna
