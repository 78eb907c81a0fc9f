#include "app/cli/json_writer.h"

namespace lacuna {

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

JsonWriter::JsonWriter(Output& out) : out_(out) {
  open('{');
}

void JsonWriter::open(char bracket) {
  out_.write(std::string_view(&bracket, 1));
  brackets_ += bracket == '{' ? '}' : ']';
  sizes_.push_back(0);
}

void JsonWriter::start_entry() {
  out_.write(sizes_.back()++ == 0 ? "\n" : ",\n");
  out_.write(std::string(brackets_.size() * 2, ' '));
}

void JsonWriter::member(std::string_view key, const Json& value) {
  start_entry();
  out_.write(to_text(key) + ": " + to_text(value));
}

void JsonWriter::begin_object(std::string_view key) {
  start_entry();
  out_.write(to_text(key) + ": ");
  open('{');
}

void JsonWriter::begin_list(std::string_view key) {
  start_entry();
  out_.write(to_text(key) + ": ");
  open('[');
}

void JsonWriter::element(const Json& value) {
  start_entry();
  out_.write(to_text(value));
}

void JsonWriter::begin_element_object() {
  start_entry();
  open('{');
}

void JsonWriter::end() {
  const char bracket = brackets_.back();
  brackets_.pop_back();
  if (sizes_.back() > 0) out_.write("\n" + std::string(brackets_.size() * 2, ' '));
  sizes_.pop_back();
  out_.write(std::string_view(&bracket, 1));
}

void JsonWriter::finish() {
  while (!brackets_.empty()) end();
  out_.write("\n");
}

}  // namespace lacuna
