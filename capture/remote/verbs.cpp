#include "capture/remote/verbs.h"

#include "capture/remote/fields.h"

namespace lacuna {

void put(FieldWriter& out, const RemoteFile& file) {
  out.text(file.path).number(file.bytes).number(static_cast<std::uint64_t>(file.modified_ns)).number(file.sample);
}

RemoteFile get_remote_file(FieldReader& in) {
  RemoteFile file;
  file.path = in.text();
  file.bytes = in.number();
  file.modified_ns = static_cast<std::int64_t>(in.number());
  file.sample = in.number();
  return file;
}

void put(FieldWriter& out, const RemoteEntry& entry) {
  const std::uint64_t bits = (entry.is_folder ? 1u : 0u) | (entry.may_be_trace ? 2u : 0u);
  out.text(entry.name).number(bits).number(entry.bytes).number(static_cast<std::uint64_t>(entry.modified_s));
}

RemoteEntry get_remote_entry(FieldReader& in) {
  RemoteEntry entry;
  entry.name = in.text();
  const std::uint64_t bits = in.number();
  entry.is_folder = (bits & 1) != 0;
  entry.may_be_trace = (bits & 2) != 0;
  entry.bytes = in.number();
  entry.modified_s = static_cast<std::int64_t>(in.number());
  return entry;
}

void put(FieldWriter& out, const std::vector<std::string>& words) {
  out.number(words.size());
  for (const std::string& word : words) out.text(word);
}

std::vector<std::string> get_words(FieldReader& in) {
  const std::uint64_t count = in.number();
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < count && count <= kMostWords && in.ok(); ++i) words.push_back(in.text());
  return words;
}

}  // namespace lacuna
