#include "app/web/server/access.h"

#include <array>
#include <set>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("tokens are long, and no two are the same") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = make_token();
    CHECK(token.size() == 32);
    CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
    seen.insert(token);
  }
  CHECK(seen.size() == 100);
}

TEST_CASE("a token is compared in full") {
  CHECK(are_same_token("abc", "abc"));
  CHECK(!are_same_token("abd", "abc"));
  CHECK(!are_same_token("ab", "abc"));
  CHECK(!are_same_token("abcd", "abc"));
  CHECK(!are_same_token("", "abc"));
  CHECK(!are_same_token("", ""));  // there is none: nobody gets in
}

TEST_CASE("only names of this machine are answered, whatever the port") {
  const std::array<std::string, 1> others = {"hub.example.org:8000"};
  for (const char* own : {"127.0.0.1", "127.0.0.1:8730", "localhost:1", "LocalHost", "[::1]:8730", "[::1]"})
    CHECK_MESSAGE(is_own_host(own, {}), own);
  for (const char* other : {"", "evil.example", "evil.example:8730", "127.0.0.1.evil.example",
                            "localhost.evil.example:1", "127.0.0.1:80@evil.example", "127.0.0.2x", "hub.example.org"})
    CHECK_MESSAGE(!is_own_host(other, {}), other);
  CHECK(is_own_host("hub.example.org", others));
  CHECK(!is_own_host("other.example.org", others));
  const std::array<std::string, 1> any = {"*"};
  CHECK(is_own_host("other.example.org", any));
  CHECK(is_own_origin("https://other.example.org", "127.0.0.1:8730", any));
}

TEST_CASE("addresses are told from names") {
  for (const char* address : {"10.0.0.7", "10.0.0.7:8730", "[fe80::1]:8730"})
    CHECK_MESSAGE(is_address(address), address);
  for (const char* name : {"", "box", "box:8730", "10.0.0.7.evil.example", "1.2.3", "[evil]:1", "10.0.0.x"})
    CHECK_MESSAGE(!is_address(name), name);
}

TEST_CASE("only pages of ours may connect") {
  const std::array<std::string, 1> allowed = {"https://hub.example.org"};
  CHECK(is_own_origin("", "127.0.0.1:8730", {}));  // no browser
  CHECK(is_own_origin("http://127.0.0.1:8730", "127.0.0.1:8730", {}));
  CHECK(is_own_origin("https://localhost:9000", "localhost:9000", {}));
  CHECK(!is_own_origin("http://127.0.0.1:8731", "127.0.0.1:8730", {}));
  CHECK(!is_own_origin("http://evil.example", "127.0.0.1:8730", {}));
  CHECK(!is_own_origin("null", "127.0.0.1:8730", {}));
  CHECK(!is_own_origin("https://hub.example.org", "127.0.0.1:8730", {}));
  CHECK(is_own_origin("https://HUB.example.org", "127.0.0.1:8730", allowed));
  CHECK(!is_own_origin("https://hub.example.org.evil", "127.0.0.1:8730", allowed));
}

TEST_CASE("names of files that are brought lead nowhere") {
  CHECK(safe_file_name("a.json.gz") == "a.json.gz");
  CHECK(safe_file_name("../../etc/passwd") == "passwd");
  CHECK(safe_file_name("C:\\traces\\a.json") == "a.json");
  CHECK(safe_file_name("..") == "file");
  CHECK(safe_file_name("") == "file");
  CHECK(safe_file_name("a/") == "file");
  CHECK(safe_file_name(".bashrc") == "bashrc");
  CHECK(safe_file_name(std::string("a\0b\nc", 5)) == "abc");
  CHECK(safe_file_name("x." + std::string(119, 'y')) == std::string(119, 'y'));  // cut to what would be hidden
  const std::string kept = safe_file_name(std::string(500, 'x') + ".json");
  CHECK(kept.size() == 120);
  CHECK(kept.ends_with(".json"));
}

TEST_CASE("values of a request") {
  CHECK(query_value("/?token=abc", "token") == "abc");
  CHECK(query_value("/upload?name=a%2Fb%20c&window=1", "name") == "a/b c");
  CHECK(query_value("/upload?name=a&window=1", "window") == "1");
  CHECK(query_value("/upload?xname=a", "name").empty());
  CHECK(query_value("/", "name").empty());
  CHECK(percent_decoded("%4") == "%4");
  CHECK(percent_decoded("%zz") == "%zz");
}
