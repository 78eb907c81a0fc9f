#include "import_support.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "model/base/os/files.h"
#include "model/formats/chrome/top_level.h"
#include "model/trace/import_finding.h"
#include "tests/support/paths.h"

namespace lacuna::test {

namespace fs = std::filesystem;

std::uint64_t ReadResult::events() const {
  std::uint64_t sum = 0;
  for (const EventBatch& batch : batches) sum += batch.event_count();
  return sum;
}

std::uint64_t ReadResult::phase(char c) const {
  std::uint64_t sum = 0;
  for (const EventBatch& batch : batches) sum += batch.phase_counts[static_cast<unsigned char>(c)];
  return sum;
}

ReadResult read_bytes(ImportBytes& bytes, const ImportOptions& options) {
  ReadResult read;
  read.result = read_trace(bytes, options, nullptr, read.facts, [&](EventBatch batch) {
    batch.seal();
    read.batches.push_back(std::move(batch));
  });
  read.report = read.facts.report;
  for (const EventBatch& batch : read.batches) read.report.merge(batch.report);
  return read;
}

ReadResult read_text(std::string_view json, const ImportOptions& options) {
  return read_bytes(*make_memory_bytes(std::string(json)), options);
}

ReadResult read_path(const std::string& path, const ImportOptions& options) {
  auto file = open_file(path, options.max_json_bytes, nullptr);
  if (file) return read_bytes(*file->bytes, options);
  ReadResult read;
  read.result = tl::make_unexpected(file.error());
  return read;
}

ImportOptions cut_every(std::size_t bytes) {
  ImportOptions options;
  options.threads = 3;
  options.chunk_bytes = bytes;
  return options;
}

ImportOptions tolerant() {
  ImportOptions options;
  options.tolerant_only = true;
  return options;
}

std::vector<std::string> lines(const ReadResult& read) {
  std::vector<std::pair<std::uint64_t, std::string>> records;
  std::vector<std::string> counters;
  for (const EventBatch& b : read.batches) {
    const auto text = [&](StringId id) { return b.strings.get(id); };
    const auto category = [&](std::uint32_t c) {
      return c < b.categories.size() ? text(b.categories[c]) : std::string_view("(none)");
    };
    for (const EventBatch::TrackEvents& t : b.tracks) {
      const std::string on = fmt::format("{}:{}/{}", static_cast<int>(t.key.kind), text(t.key.pid), text(t.key.tid)) +
                             fmt::format(" {}/{}", text(t.key.device), text(t.key.stream));
      for (const SliceRecord& s : t.sealed_slices)
        records.emplace_back(s.file_offset,
                             fmt::format("X {} {}+{} '{}' {} c{} e{} f{}", on, s.start, s.duration, text(s.name),
                                         category(s.category), s.correlation, s.external_id, s.flags));
      for (const BeginEndEvent& e : t.begin_ends)
        records.emplace_back(e.file_offset, fmt::format("{} {} {} '{}' {}", e.is_begin ? 'B' : 'E', on, e.time,
                                                        text(e.name), category(e.category)));
      for (const Instant& i : t.instants)
        records.emplace_back(i.file_offset, fmt::format("i {} {} '{}' {} {}", on, i.time, text(i.name),
                                                        category(i.category.value), i.scope));
    }
    for (const AsyncEvent& e : b.asyncs)
      records.emplace_back(e.file_offset, fmt::format("{} {}/{} {} '{}' {} id {}", e.phase, text(e.pid), text(e.tid),
                                                      e.time, text(e.name), category(e.category), text(e.id)));
    for (const EventBatch::ThreadFlows& t : b.flows) {
      for (const FlowEvent& e : t.sealed_events) {
        const std::string id = e.id.is_text() ? std::string(text(e.id.as_text())) : std::to_string(e.id.value());
        records.emplace_back(e.file_offset,
                             fmt::format("{} {}/{} {} {} id {}{}", e.phase, text(t.pid), text(t.tid), e.time,
                                         category(e.category), id, e.binds_enclosing ? " enclosing" : ""));
      }
    }
    for (const MetadataEvent& e : b.metadata)
      records.emplace_back(e.file_offset, fmt::format("M {} {}/{} '{}' {}", static_cast<int>(e.what), text(e.pid),
                                                      text(e.tid), text(e.text), e.number));
    for (const CounterSample& c : b.counters)
      counters.push_back(
          fmt::format("C {} {} '{}' {} = {}", text(c.pid), c.time, text(c.name), text(c.series), c.value));
  }
  std::ranges::sort(records);
  std::vector<std::string> result;
  for (const auto& [offset, line] : records) result.push_back(fmt::format("@{} {}", offset, line));
  result.insert(result.end(), counters.begin(), counters.end());
  std::array<std::uint64_t, 256> phases{};
  std::map<std::string, std::uint64_t> categories;
  for (const EventBatch& b : read.batches) {
    for (std::size_t p = 0; p < phases.size(); ++p) phases[p] += b.phase_counts[p];
    for (std::size_t c = 0; c < b.categories.size(); ++c)
      categories[std::string(b.strings.get(b.categories[c]))] += b.category_counts[c];
    categories["(none)"] += b.without_category;
  }
  for (std::size_t p = 0; p < phases.size(); ++p)
    if (phases[p] != 0) result.push_back(fmt::format("phase {} {}", p, phases[p]));
  for (const auto& [name, count] : categories) result.push_back(fmt::format("category {} {}", name, count));
  return result;
}

std::vector<std::string> report_lines(const ReadResult& read) {
  std::vector<std::string> result;
  for (const ImportReport::Line& line : read.report.lines())
    result.push_back(
        fmt::format("{} {} @{}", info(line.finding).key, line.count, static_cast<std::int64_t>(line.first_offset)));
  return result;
}

std::string in_object(std::string_view events) {
  return fmt::format(R"({{"schemaVersion": 1, "traceEvents": [{}], "traceName": "x"}})", events);
}

std::string shared_traces() {
  const char* const set = std::getenv("LACUNA_SHARED_TRACES");
  const fs::path folder = set != nullptr ? fs::path(set) : fs::path(source_folder()) / ".." / "shared" / "traces";
  return fs::is_directory(folder) ? folder.string() : std::string();
}

std::vector<std::string> shared_trace_files() {
  std::vector<std::string> files;
  const std::string folder = shared_traces();
  if (folder.empty()) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const bool is_about = path.ends_with(".facts.json") || path.ends_with(".ref.json");
    if (entry.is_regular_file() && !is_about && (path.ends_with(".json") || path.ends_with(".gz")))
      files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string read_decompressed(const std::string& path) {
  const auto file = open_file(path, std::uint64_t{1} << 32, nullptr);
  if (!file) return {};
  file->bytes->ending();
  std::string text(file->bytes->size(), '\0');
  text.resize(file->bytes->read_at(0, text));
  return text;
}

TemporaryFile::TemporaryFile(std::string_view name, std::string_view content) {
  folder_ = (fs::temp_directory_path() / "lacuna_import_").generic_string();
  if (!create_temporary_folder(folder_)) folder_ = ".";
  path_ = folder_ + "/" + std::string(name);
  std::ofstream(path_, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace lacuna::test
