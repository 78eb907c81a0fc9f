// Findings of strangers: whatever the archive says, there is a view or there is none.
#include "app/finding/finding_view.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/support/archive_maker.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;
using namespace lacuna::test;

TEST_CASE("the queries of a finding are told apart") {
  using Queries = std::vector<std::string>;
  CHECK(split_queries("SELECT 1;\nSELECT ';\n', \";\n\" FROM a;\n") ==
        Queries{"SELECT 1", "SELECT ';\n', \";\n\" FROM a"});
  CHECK(split_queries("SELECT 1; SELECT 2\nFROM a;\n") == Queries{"SELECT 1; SELECT 2\nFROM a"});
  CHECK(split_queries("SELECT 'it''s';") == Queries{"SELECT 'it''s'"});
  CHECK(split_queries(";\n \n;\nSELECT").empty());
  CHECK(split_queries("SELECT ';\n").empty());
  std::string many;
  for (int i = 0; i < 500; ++i) many += "SELECT 1;\n";
  CHECK(split_queries(many).size() == kMostFindingQueries);
}

TEST_CASE("the view of a finding is read, and no other member's text") {
  const TemporaryFolder folder;
  const std::string view = with_finding_times({}, {TimeSpan{10, 20}, std::nullopt});
  const std::string good = folder.write("a.lacuna", make_zip({{"trace.json", "[]"}, {"view.state", view}}));
  CHECK(read_finding_view(good) == view);
  CHECK(finding_times(view).view == TimeSpan{10, 20});
  CHECK(!finding_times(view).range);
  CHECK(read_finding_view(folder.write("b.lacuna", make_zip({{"trace.json", "[]"}}))).empty());
  CHECK(read_finding_view(folder.write("c.lacuna", "no zip")).empty());
  CHECK(read_finding_view(folder.path).empty());
  CHECK(read_finding_view(folder.path + "/none").empty());
}

TEST_CASE("a view that is a bomb, a link, damaged or named to lead elsewhere is none") {
  const TemporaryFolder folder;
  const std::string large((std::size_t{4} << 20) + 1, ' ');
  ZipMember bomb{"view.state", large}, lying = bomb, link{"view.state", "/etc/passwd", false},
                                       damaged{"view.state", "{}"};
  lying.claimed_size = 2;
  link.mode = 0120777;
  damaged.checksum_change = 1;
  const auto view_of = [&](const ZipMember& member) {
    return read_finding_view(folder.write("x.lacuna", make_zip({member})));
  };
  CHECK(view_of(bomb).empty());
  CHECK(view_of(lying).empty());
  CHECK(view_of(link).empty());
  CHECK(view_of(damaged).empty());
  CHECK(view_of({"../view.state", "{}"}).empty());
  CHECK(view_of({"a/../view.state", "{}"}).empty());
  const std::string good = make_zip({{"view.state", "{\"version\":1}"}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::string text = read_finding_view(folder.write("x.lacuna", good.substr(0, size)));
    const bool is_whole_or_none = text.empty() || text == "{\"version\":1}";
    CHECK(is_whole_or_none);
  }
}

TEST_CASE("times of a view that say nonsense are none") {
  for (const char* view : {"", "{", "[]", R"({"view":3})", R"({"view":{"beginNs":5,"endNs":5}})",
                           R"({"view":{"beginNs":9,"endNs":5}})", R"({"view":{"beginNs":"1","endNs":5}})"})
    CHECK(!finding_times(view).view);
  const std::string text =
      with_finding_times(R"({"version":1,"files":["/home/bob/x"],"tracks":{}})", {{}, TimeSpan{1, 2}});
  CHECK(text.find("bob") == std::string::npos);
  CHECK(text.find("tracks") != std::string::npos);
  CHECK(finding_times(text).range == TimeSpan{1, 2});
}
