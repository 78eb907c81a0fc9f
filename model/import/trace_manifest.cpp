#include "model/import/trace_manifest.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/formats/json_cursor.h"
#include "model/formats/json_value.h"

namespace lacuna {
namespace {

TraceManifest::File read_file(JsonCursor& cursor) {
  TraceManifest::File file;
  std::string key;
  while (cursor.next_member(key)) {
    if (key == "path") {
      file.path = cursor.text();
    } else if (key == "machine" && cursor.kind() == '{') {
      while (cursor.next_member(key)) key == "name" ? void(file.machine = cursor.text()) : cursor.skip();
    } else if (key == "clocks" && cursor.kind() == '{') {
      while (cursor.next_member(key)) {
        if (key == "offset_ns") {
          file.offset_ns = cursor.integer().value_or(0);
        } else if (key == "sync_to" && cursor.kind() == '{') {
          while (cursor.next_member(key)) key == "file" ? void(file.reference = cursor.text()) : cursor.skip();
        } else {
          cursor.skip();
        }
      }
    } else {
      cursor.skip();
    }
  }
  return file;
}

}  // namespace

const TraceManifest::File* TraceManifest::find(const std::string& path) const {
  const auto ends = [&](const File& file) {
    return path == file.path || (path.size() > file.path.size() && path.ends_with("/" + file.path));
  };
  const auto found = std::ranges::find_if(files, ends);
  return found == files.end() ? nullptr : &*found;
}

bool is_manifest(const ByteSource& bytes) {
  std::array<char, 256> buffer;
  std::string text(buffer.data(), bytes.read_at(0, buffer));
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  return text.starts_with("{\"perfetto_manifest\"");
}

Result<TraceManifest> read_manifest(const ByteSource& bytes) {
  TraceManifest manifest;
  JsonCursor cursor(bytes);
  std::string key;
  std::int64_t version = 0;
  while (cursor.next_member(key)) {
    if (key != "perfetto_manifest" || cursor.kind() != '{') {
      cursor.skip();
      continue;
    }
    while (cursor.next_member(key)) {
      if (key == "version") {
        version = cursor.integer().value_or(0);
      } else if (key == "files" && cursor.kind() == '[') {
        while (cursor.next_entry())
          if (cursor.begins('{')) manifest.files.push_back(read_file(cursor));
      } else if (key == "attributes" && cursor.kind() == '{') {
        while (cursor.next_member(key)) {
          const bool is_text = cursor.kind() == '"';
          std::string value = cursor.number_text();
          if (is_text) append_json_string(std::exchange(value, {}), value);
          manifest.attributes.emplace_back("manifest_attribute." + key, std::move(value));
        }
      } else {
        cursor.skip();
      }
    }
  }
  if (cursor.is_broken())
    return fail(ErrorCode::kInvalidArgument, "Perfetto's manifest is not JSON", {}, cursor.offset());
  if (version != 1)
    return fail(ErrorCode::kInvalidArgument, fmt::format("Perfetto's manifest has version {}; 1 is expected", version));
  for (const TraceManifest::File& file : manifest.files) {
    const bool is_known =
        file.reference.empty() ||
        std::ranges::find(manifest.files, file.reference, &TraceManifest::File::path) != manifest.files.end();
    if (!is_known)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("Perfetto's manifest names a file that is not in its list: {}", file.reference));
  }
  return manifest;
}

}  // namespace lacuna
