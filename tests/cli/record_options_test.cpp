// Every way to write a command that is recorded: what README and --help say must be what the parser reads.
#include "app/cli/record_options.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "app/cli/record.h"
#include "model/base/shell_words.h"
#include "tests/support/paths.h"

using namespace lacuna;

namespace {

using Words = std::vector<std::string>;

struct Parsed {
  RecordOptions options;
  std::string wrong;
};

/// As CommandLine does: words behind "lacuna".
Parsed parse(const Words& words) {
  Parsed parsed;
  CLI::App app;
  CLI::App* command = app.add_subcommand(words.front(), "");
  words.front() == "live" ? parsed.options.add_live_to(*command) : parsed.options.add_to(*command);
  std::vector<const char*> pointers{"lacuna"};
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const SplitWords split = split_words_of(static_cast<int>(pointers.size()), pointers.data());
  std::vector<std::string> reversed(split.ours.rbegin(), split.ours.rend());
  try {
    app.parse(reversed);
    parsed.wrong = take_command(split, parsed.options);
    if (parsed.wrong.empty()) parsed.wrong = parsed.options.contradiction();
  } catch (const CLI::ParseError& error) {
    parsed.wrong = error.what();
  }
  return parsed;
}

}  // namespace

TEST_CASE("what is behind -- is the command's, whatever stands before it") {
  const struct {
    Words words;
    Words command;
    bool is_shared = false;
    std::string live = {};
  } kCases[] = {
      {{"record"}, {}},
      {{"record", "--", "python", "train.py"}, {"python", "train.py"}},
      {{"record", "python", "train.py"}, {"python", "train.py"}},
      {{"record", "--", "python", "train.py", "--lr", "3", "--live", "-o", "x"},
       {"python", "train.py", "--lr", "3", "--live", "-o", "x"}},
      {{"record", "--live", "--", "python", "train.py", "--lr", "3"}, {"python", "train.py", "--lr", "3"}, true},
      {{"record", "--live", "--", "CMD"}, {"CMD"}, true},
      {{"record", "--live", "--", "a", "--", "b"}, {"a", "--", "b"}, true},
      {{"record", "--live", "name", "--", "CMD"}, {"CMD"}, true, "name"},
      {{"record", "--live=name", "--", "CMD", "--limit"}, {"CMD", "--limit"}, true, "name"},
      {{"record", "-o", "out.json", "--live", "--", "CMD"}, {"CMD"}, true},
      {{"record", "--live", "-o", "out.json", "--", "CMD"}, {"CMD"}, true},
      {{"record", "--live"}, {}, true},
      {{"record", "--live", "name"}, {}, true, "name"},
      {{"record", "--env", "A=1", "--env", "B=--", "--", "CMD"}, {"CMD"}},
      {{"live", "--", "python", "train.py", "--keep-seconds", "x"}, {"python", "train.py", "--keep-seconds", "x"}},
      {{"live", "--keep-seconds", "5", "--", "CMD"}, {"CMD"}},
      {{"live", "CMD", "3"}, {"CMD", "3"}},
      {{"live", "--", "--strange"}, {"--strange"}},
  };
  for (const auto& c : kCases) {
    CAPTURE(join_words(c.words));
    const Parsed parsed = parse(c.words);
    CHECK(parsed.wrong == "");
    CHECK(parsed.options.command == c.command);
    CHECK(parsed.options.is_shared == c.is_shared);
    CHECK(parsed.options.live == c.live);
  }
  CHECK(parse({"record", "--live", "python", "train.py"}).wrong.find("behind --") != std::string::npos);
  CHECK(parse({"record", "python", "--", "train.py"}).wrong.find("'python' stands before it") != std::string::npos);
}

TEST_CASE("the command lines of the documents and of --help are read as they are meant") {
  std::size_t found = 0;
  std::vector<std::string> lines;
  for (const char* name : {"/README.md", "/capture/README.md", "/docs/manual.md", "/docs/remote.md"}) {
    std::ifstream file(source_folder() + name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  for (const std::string_view help : {record_help(), live_help(), attach_help()}) lines.emplace_back(help);
  for (const std::string& line : lines) {
    for (const std::string verb : {"record", "live"}) {
      for (std::size_t at = 0; (at = line.find("lacuna " + verb + " -", at)) != std::string::npos; ++at) {
        const std::string text = line.substr(at + 7, line.find_first_of("`#\n):", at) - at - 7);
        CAPTURE(text);
        const Result<Words> words = split_words(text);
        REQUIRE(words);
        const Parsed parsed = parse(*words);
        CHECK(parsed.wrong == "");
        const auto dashes = std::ranges::find(*words, "--");
        CHECK(parsed.options.command == Words(dashes == words->end() ? dashes : dashes + 1, words->end()));
        ++found;
      }
    }
  }
  CHECK(found >= 4);
}

TEST_CASE("options that contradict each other are errors") {
  const auto wrong = [](Words words) {
    words.insert(words.begin(), "record");
    return parse(words).wrong;
  };
  CHECK(wrong({"--wait", "1", "--warmup", "1", "--active", "2", "--repeat", "1"}) == "");
  CHECK(wrong({"--step-range", "step", "--active", "2"}) == "");
  CHECK(wrong({"--keep-seconds", "30", "--delay", "1", "--duration", "60", "--kill", "none", "--start-on", "step"}) ==
        "");
  CHECK(wrong({"--kill", "none"}).find("how long is it to be recorded") != std::string::npos);
  CHECK(wrong({"--duration", "5", "--kill", "gently"}).find("none of term, int, kill, none") != std::string::npos);
  CHECK(wrong({"--start-on", "step", "--no-nvtx", "--no-torch"}).find("leave none") != std::string::npos);
  CHECK(wrong({"--live", "--keep-gb", "1"}).find("lacuna live") != std::string::npos);
  CHECK(wrong({"--duration", "0"}) != "");
  CHECK(wrong({"--delay", "-1"}) != "");
  for (const Words& words : std::vector<Words>{{"--warmup", "1"},
                                               {"--wait", "1"},
                                               {"--repeat", "1"},
                                               {"--active", "0"},
                                               {"--step-every", "1"},
                                               {"--step-every", "0", "--active", "1"},
                                               {"--step-every", "1", "--active", "1", "--step-range", "x"},
                                               {"--step-range", "x", "--no-nvtx", "--no-torch"},
                                               {"--shapes", "--no-torch"},
                                               {"--memory", "--no-cuda"},
                                               {"--whole-graphs", "--no-cuda"},
                                               {"--wait-for", "nobody"}}) {
    CAPTURE(join_words(words));
    CHECK(wrong(words) != "");
  }
}

TEST_CASE("what is asked for reaches the plan") {
  const Parsed parsed =
      parse({"record", "--step-range", "step", "--wait-for", "child", "--active", "2", "--shapes", "--", "x"});
  const auto plan = parsed.options.live_plan({});
  REQUIRE(plan);
  CHECK(plan->step_range == "step");
  CHECK_FALSE(plan->waits_for_all);
  CHECK(plan->schedule.active == 2);
  CHECK(plan->shapes);
  const auto timed = parse({"record", "--step-every", "0.5", "--active", "1"}).options.live_plan({});
  REQUIRE(timed);
  CHECK(timed->step_every == 500'000'000);
}
