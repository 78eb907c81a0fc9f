#include "app/cli/json_writer.h"

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("entries of open containers get a line each, values stay on it") {
  std::string text;
  Output out(text);
  JsonWriter json(out);
  json.member("a", 1);
  json.begin_list("rows");
  json.element({{"x", 1}, {"y", nullptr}});
  json.element({{"x", 2}, {"y", "z"}});
  json.end();
  json.begin_object("empty");
  json.end();
  json.begin_list("objects");
  json.begin_element_object();
  json.member("k", Json::array({1, 2}));
  json.end();
  json.finish();  // closes the list as well
  CHECK(text == R"({
  "a": 1,
  "rows": [
    {"x":1,"y":null},
    {"x":2,"y":"z"}
  ],
  "empty": {},
  "objects": [
    {
      "k": [1,2]
    }
  ]
}
)");
  CHECK(Json::accept(text));
}

TEST_CASE("text that is not UTF-8 does not break the document") {
  std::string text;
  Output out(text);
  JsonWriter json(out);
  json.member("key\xff", "value\xc3");
  json.finish();
  CHECK(Json::accept(text));
  CHECK(text.find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("control characters and quotes are escaped") {
  CHECK(to_text("a\"b\\c\n\x01") == R"("a\"b\\c\n\u0001")");
}
