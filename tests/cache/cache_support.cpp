#include "tests/cache/cache_support.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "model/base/os/files.h"
#include "model/base/os/user_folders.h"

namespace lacuna {
namespace {

/// A file without a name, in memory where there are such.
Descriptor nameless_file() {
  Descriptor file = create_in_memory();
  if (!file.is_open()) file = create_nameless(temporary_folder());
  REQUIRE(file.is_open());
  return file;
}

}  // namespace

KeptTrace open_anew(std::span<const std::string> paths, const ImportOptions& options) {
  auto trace = import_files(paths, options);
  REQUIRE(trace);
  KeptTrace opened{.trace = std::move(*trace), .folds = {}, .statistics = {}, .home = {3, 4}};
  opened.folds = FoldIndex::build(opened.trace.lanes());
  opened.statistics = compute_statistics(opened.trace);
  return opened;
}

std::string stored_bytes(const KeptTrace& kept) {
  const Descriptor file = nameless_file();
  StoredFileWriter out(file.get());
  TraceCodec::write(out, kept.trace, kept.folds, kept.statistics, kept.home);
  REQUIRE(out.finish());
  std::string bytes(facts_of(file.get()).value().bytes, '\0');
  REQUIRE(read_at(file.get(), 0, bytes) == bytes.size());
  return bytes;
}

std::optional<KeptTrace> from_stored_bytes(const std::string& bytes) {
  const Descriptor file = nameless_file();
  REQUIRE(write_at(file.get(), 0, bytes));
  StoredFileReader in(file.get());
  return TraceCodec::read(in, 2, [](const TraceSource&) { return nullptr; });
}

std::string read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_whole_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace lacuna
