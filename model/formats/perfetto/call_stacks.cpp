#include "model/formats/perfetto/call_stacks.h"

#include <vector>

#include <fmt/format.h>

#include "model/formats/json_value.h"
#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

/// Of frames whose outermost is the first.
std::string stack_json(const std::vector<std::string>& frames) {
  if (frames.empty()) return {};
  std::string json = "[";
  for (std::size_t i = frames.size(); i-- > 0;) {
    append_json_string(frames[i], json);
    json += i == 0 ? ']' : ',';
  }
  return json;
}

}  // namespace

std::string inline_stack(std::string_view message) {
  std::vector<std::string> frames;
  WireMessage stack(message);
  for (WireField field; stack.next(field);) {
    if (field.number != 1) continue;
    std::string_view function, file;
    std::uint64_t line = 0;
    WireMessage frame(field.bytes);
    for (WireField part; frame.next(part);) {
      if (part.number == 1) function = part.bytes;
      if (part.number == 2) file = part.bytes;
      if (part.number == 3) line = part.value;
    }
    std::string& text = frames.emplace_back(function);
    if (!file.empty()) text += fmt::format(" ({}:{})", file, line);
  }
  return stack_json(frames);
}

std::string interned_stack(const InternedData& interned, InternedData::Generation generation, std::uint64_t id) {
  std::vector<std::string> frames;
  WireMessage stack(interned.find(generation, kInternedCallStack, id));
  for (WireField field; stack.next(field);) {
    if (field.number != 2) continue;
    for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t frame_id) {
      std::string& text = frames.emplace_back("?");
      WireMessage frame(interned.find(generation, kInternedFrame, frame_id));
      for (WireField part; frame.next(part);) {
        if (part.number == 2) text = interned.find(generation, kInternedFunctionName, part.value);
      }
    });
  }
  return stack_json(frames);
}

}  // namespace lacuna
