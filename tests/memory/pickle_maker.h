#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "model/base/os/machine.h"

namespace lacuna {

/// Makes opcodes for the tests of the pickle reader: pickle("]", "(", number(1), "e.").
inline std::string le(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}
inline std::string text_opcode(std::string_view text) {
  return "\x8c" + le(text.size(), 1) + std::string(text);
}
inline std::string number_opcode(std::uint64_t value) {
  return "\x8a\x09" + le(value, 8) + std::string(1, '\0');
}
/// Returns a dictionary in opcodes: keys and values in turn.
inline std::string dict_opcodes(const std::string& items) {
  return "}\x94(" + items + "u";
}
inline std::string list_opcodes(const std::string& items) {
  return "]\x94(" + items + "e";
}
inline std::string pickle_of(const std::string& value) {
  return "\x80\x04" + value + ".";
}

/// Returns a snapshot of one device with one segment of 4096 bytes at 4096, from its events and blocks.
inline std::string snapshot_opcodes(const std::string& events, const std::string& blocks) {
  const std::string segment =
      dict_opcodes(text_opcode("device") + "K" + le(0, 1) + text_opcode("address") + number_opcode(4096) +
                   text_opcode("total_size") + number_opcode(4096) + text_opcode("stream") + "K" + le(0, 1) +
                   text_opcode("segment_type") + text_opcode("small") + text_opcode("blocks") + list_opcodes(blocks));
  return pickle_of(dict_opcodes(text_opcode("segments") + list_opcodes(segment) + text_opcode("device_traces") +
                                list_opcodes(list_opcodes(events))));
}
inline std::string frame_opcodes(std::string_view name, int line) {
  return dict_opcodes(text_opcode("name") + text_opcode(name) + text_opcode("filename") + text_opcode("/a/b.py") +
                      text_opcode("line") + "K" + le(static_cast<std::uint64_t>(line), 1));
}
inline std::string event_opcodes(std::string_view action, std::uint64_t address, std::uint64_t size, int time,
                                 const std::string& frames = {}) {
  return dict_opcodes(text_opcode("action") + text_opcode(action) + text_opcode("addr") + number_opcode(address) +
                      text_opcode("size") + number_opcode(size) + text_opcode("stream") + "K" + le(0, 1) +
                      text_opcode("time_us") + "K" + le(static_cast<std::uint64_t>(time), 1) + text_opcode("frames") +
                      list_opcodes(frames));
}
inline std::string block_opcodes(std::uint64_t address, std::uint64_t size, std::string_view state) {
  return dict_opcodes(text_opcode("address") + number_opcode(address) + text_opcode("size") + number_opcode(size) +
                      text_opcode("state") + text_opcode(state));
}

/// A temporary file, removed with the object.
class PickleFile {
 public:
  PickleFile(const std::string& name, const std::string& content)
      : path_(std::filesystem::temp_directory_path() / fmt::format("lacuna_{}_{}", process_id(), name)) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~PickleFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  PickleFile(const PickleFile&) = delete;
  PickleFile& operator=(const PickleFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace lacuna
