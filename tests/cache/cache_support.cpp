#include "tests/cache/cache_support.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lacuna {
namespace {

/// A file without a name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("stored", 0)) { REQUIRE(descriptor_ >= 0); }
  ~MemoryFile() { ::close(descriptor_); }
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

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
  const MemoryFile file;
  StoredFileWriter out(file.get());
  TraceCodec::write(out, kept.trace, kept.folds, kept.statistics, kept.home);
  REQUIRE(out.finish());
  std::string bytes(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  REQUIRE(::pread(file.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return bytes;
}

std::optional<KeptTrace> from_stored_bytes(const std::string& bytes) {
  const MemoryFile file;
  REQUIRE(::pwrite(file.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
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
