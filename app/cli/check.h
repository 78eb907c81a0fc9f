#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "model/check/run_check.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna check A B`, `lacuna check --baseline DIR B...`
struct CheckCommand {
  std::vector<std::string> paths;
  std::vector<std::string> baseline;
  std::vector<std::string> fail_on;
  bool json = false;
  bool markdown = false;
  bool junit = false;
  std::size_t limit = 10;  ///< rows of what changed; 0 = all
  std::size_t width = 120;

  void add_to(CLI::App& check);
};

/// The verdict in one sentence without its full stop: "slower by 4.1 % ± 0.6 % a step: …".
std::string check_sentence(const RunCheck& check);
/// What to know beside it: too few steps, runs without steps, other work. Sentences.
std::vector<std::string> check_notes(const RunCheck& check);
/// "+4.1 % ± 0.6 %", or in time where A has none of it.
std::string check_change_text(const MedianChange& change);
/// "kept: +0.1 % ± 0.2 %"
std::string limit_answer_text(const LimitAnswer& answer);

void write_check_text(const RunCheck& check, const CheckCommand& how, Output& out);
/// What a pull request shows (check_formats.cpp), what test reports read, and what programs do.
void write_check_markdown(const RunCheck& check, const CheckCommand& how, Output& out);
void write_check_junit(const RunCheck& check, Output& out);
void write_check_json(const RunCheck& check, const CheckCommand& how, Output& out);

}  // namespace lacuna
