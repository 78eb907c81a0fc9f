// gzip and zstd: whole, in several parts, cut, damaged, nested, too large.
#include <fmt/format.h>
#include <zstd.h>

#include "import_support.h"
#include "tests/support/archive_maker.h"
#include "tests/support/rounds.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string gzip(std::string_view text) {
  return deflate(text, IGZIP_GZIP);
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  REQUIRE_FALSE(ZSTD_isError(size));
  out.resize(size);
  return out;
}

std::string text_of_events(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format(R"({}{{"ph":"X","name":"op {}","pid":1,"tid":{},"ts":{}.125,"dur":0.5,"args":{{"k":{}}}}})",
                        i > 0 ? ",\n" : "", i * 7919 % 1000, i % 5, i * 3, i * 31 % 977);
  return text;
}

ReadResult read_compressed(std::string data, const ImportOptions& options = {}) {
  auto file = open_memory(std::move(data), options.max_json_bytes);
  REQUIRE(file.has_value());
  return read_bytes(*file->bytes, options);
}

using Compress = std::string (*)(std::string_view);
constexpr Compress kBoth[] = {gzip, zstd};

}  // namespace

TEST_CASE("compressed data give the same trace as plain") {
  const std::string json = in_object(text_of_events(20000));
  const auto expected = lines(read_text(json));
  for (const Compress compress : kBoth) {
    const ReadResult read = read_compressed(compress(json));
    CHECK(read.result.has_value());
    CHECK(read.report.empty());
    CHECK(lines(read) == expected);
    CHECK(read.facts.json_bytes == json.size());
    CHECK(lines(read_compressed(compress(json), cut_every(1000))) == expected);
  }
}

TEST_CASE("several members, wherever they divide the text, and empty ones") {
  const std::string json = in_object(text_of_events(100));
  const auto expected = lines(read_text(json));
  for (const Compress compress : kBoth) {
    for (std::size_t cut = 0; cut <= json.size(); cut += 97) {
      const ReadResult read =
          read_compressed(compress(json.substr(0, cut)) + compress("") + compress(json.substr(cut)));
      REQUIRE(read.result.has_value());
      REQUIRE(read.report.empty());
      REQUIRE(lines(read) == expected);
    }
  }
}

/// The same member with bytes in its header that decompress as another one.
std::string with_decoy(std::string member, const std::string& decoy) {
  std::string extra;
  extra += static_cast<char>(decoy.size() & 0xff);
  extra += static_cast<char>(decoy.size() >> 8);
  member[3] = static_cast<char>(member[3] | 4);  // FEXTRA
  return member.substr(0, 10) + extra + decoy + member.substr(10);
}

TEST_CASE("files of many members, decompressed side by side, give what one thread gives") {
  const std::string json = in_object(text_of_events(30000));
  const auto expected = lines(read_text(json));
  const std::string decoy = gzip(R"({"ph":"X","name":"decoy","pid":1,"tid":1,"ts":1,"dur":1},)");
  std::string data;
  std::size_t members = 0;
  for (std::size_t at = 0; at < json.size(); ++members) {
    const std::size_t size = std::min(json.size() - at, std::size_t{1} + members * 7919 % 60000);
    const std::string member = gzip(json.substr(at, size));
    data += members % 3 == 0 ? with_decoy(member, decoy) : member;
    if (members % 5 == 0) data += gzip("");
    at += size;
  }
  REQUIRE(members > 50);
  for (int round = 0; round < rounds(10); ++round) {
    const TemporaryFile file("a.json.gz", data);
    const ReadResult read = read_path(file.path());
    REQUIRE(read.result.has_value());
    REQUIRE(read.report.empty());
    REQUIRE(lines(read) == expected);
  }
  // Damage shows as in one thread.
  for (std::size_t at = 20; at < data.size(); at += data.size() / static_cast<unsigned>(rounds(60))) {
    CAPTURE(at);
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    for (const std::string& bad : {damaged, data.substr(0, at), data.substr(0, at) + "tail"}) {
      const TemporaryFile file("a.json.gz", bad);
      const ReadResult side_by_side = read_path(file.path());
      const ReadResult one_thread = read_compressed(bad);
      REQUIRE(side_by_side.result.has_value() == one_thread.result.has_value());
      const Finding cut = Finding::kTruncatedCompression;
      REQUIRE(side_by_side.count(cut) == one_thread.count(cut));
      REQUIRE(side_by_side.count(Finding::kTrailingGarbage) == one_thread.count(Finding::kTrailingGarbage));
      if (one_thread.count(cut) == 0) {
        REQUIRE(lines(side_by_side) == lines(one_thread));
        continue;
      }
      // How much of the damaged block comes out depends on how it was fed. Of a cut one all is true.
      const auto some = lines(side_by_side);
      for (std::size_t i = 0; bad.size() == at && i < some.size() && some[i].starts_with('@'); ++i)
        REQUIRE(some[i] == expected[i]);
      const auto bytes = [](const ReadResult& r) { return static_cast<std::int64_t>(r.facts.json_bytes); };
      REQUIRE(bytes(side_by_side) >= bytes(one_thread) - (256 << 10));
    }
  }
}

TEST_CASE("a bomb in a file of several members ends at the limit too") {
  const TemporaryFile file("a.json.gz", gzip("[") + gzip(std::string(100 << 20, ' ')) + gzip("]"));
  ImportOptions options;
  options.max_json_bytes = 10 << 20;
  const ReadResult read = read_path(file.path(), options);
  REQUIRE_FALSE(read.result.has_value());
  CHECK(read.result.error().code == ErrorCode::kLimit);
}

TEST_CASE("gzip in gzip, zstd in gzip") {
  const std::string json = in_object(text_of_events(50));
  const auto nested = open_memory(gzip(gzip(zstd(json))), 1 << 20);
  REQUIRE(nested.has_value());
  CHECK(nested->containers == ", gzip, gzip, zstd");
  CHECK(read_bytes(*nested->bytes).events() == 50);
}

TEST_CASE("truncated: what comes before is shown, and it is said") {
  const std::string json = in_object(text_of_events(3000));
  for (const Compress compress : kBoth) {
    const std::string data = compress(json);
    std::uint64_t before = 0;
    for (std::size_t size = 20; size < data.size(); size += size + 40 < data.size() ? data.size() / 40 : 1) {
      CAPTURE(size);
      const ReadResult read = read_compressed(data.substr(0, size));
      REQUIRE(read.events() >= before);
      before = read.events();
      if (!read.result) continue;
      REQUIRE(read.count(Finding::kTruncatedCompression) == 1);
      REQUIRE(read.offset(Finding::kTruncatedCompression) == read.facts.json_bytes);
    }
    CHECK(before > 2000);
  }
}

TEST_CASE("the very beginning of compressed data is an error, not a crash") {
  for (const Compress compress : kBoth) {
    const std::string data = compress(in_object(text_of_events(10)));
    for (std::size_t size = 4; size < 12; ++size) {
      const ReadResult read = read_compressed(data.substr(0, size));
      REQUIRE_FALSE(read.result.has_value());
      CHECK(read.result.error().code == ErrorCode::kBadCompression);
    }
  }
}

TEST_CASE("damaged in the middle, wrong checksum") {
  const std::string json = in_object(text_of_events(3000));
  for (const Compress compress : kBoth) {
    std::string data = compress(json);
    for (std::size_t at = 12; at < data.size(); at += data.size() / 30) {
      CAPTURE(at);
      std::string damaged = data;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
      const ReadResult read = read_compressed(damaged);  // no crash, and never silently
      if (read.result) REQUIRE((!read.report.empty() || lines(read) == lines(read_text(json))));
    }
    std::string checksum = data;
    checksum[data.size() - (compress == gzip ? 6u : 1u)] ^= 1;
    const ReadResult read = read_compressed(checksum);
    CHECK(read.result.has_value());
    CHECK(read.count(Finding::kTruncatedCompression) == 1);
  }
}

TEST_CASE("bytes behind the compressed data are counted") {
  const std::string json = in_object(text_of_events(10));
  for (const Compress compress : kBoth) {
    const ReadResult read = read_compressed(compress(json) + std::string(100, '\0') + "tail");
    CHECK(read.result.has_value());
    CHECK(read.events() == 10);
    CHECK(read.count(Finding::kTrailingGarbage) == 104);
    CHECK(read.count(Finding::kTruncatedCompression) == 0);
  }
}

TEST_CASE("a bomb ends at the limit, which the message names") {
  const std::string bomb = "[" + std::string(50 << 20, ' ');
  for (const Compress compress : kBoth) {
    ImportOptions options;
    options.max_json_bytes = 10 << 20;
    const ReadResult read = read_compressed(compress(bomb), options);
    REQUIRE_FALSE(read.result.has_value());
    CHECK(read.result.error().code == ErrorCode::kLimit);
    CHECK(read.result.error().cause.find("10.0 MiB") != std::string::npos);
  }
}

TEST_CASE("files are told apart by content, not by name") {
  const std::string json = in_object(text_of_events(10));
  struct Case {
    std::string content;
    std::string_view containers;
  };
  for (const Case& c : {Case{json, ""}, {gzip(json), ", gzip"}, {zstd(json), ", zstd"}}) {
    for (const char* name : {"a.json", "a.json.gz", "a"}) {
      const TemporaryFile file(name, c.content);
      const auto opened = open_file(file.path(), 1 << 20, nullptr);
      REQUIRE(opened.has_value());
      CHECK(opened->containers == c.containers);
      CHECK(opened->file_bytes == c.content.size());
      CHECK(read_path(file.path()).events() == 10);
    }
  }
}
