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
/// Sentences that qualify the verdict: too few steps, runs without steps, different work.
std::vector<std::string> check_notes(const RunCheck& check);
/// "+4.1 % ± 0.6 %", or as a time where A spends none on it.
std::string check_change_text(const MedianChange& change);
/// "kept: +0.1 % ± 0.2 %"
std::string limit_answer_text(const LimitAnswer& answer);

void write_check_text(const RunCheck& check, const CheckCommand& how, Output& out);
/// Markdown for pull requests, JUnit XML for test reports, JSON for programs (check_formats.cpp).
void write_check_markdown(const RunCheck& check, const CheckCommand& how, Output& out);
void write_check_junit(const RunCheck& check, Output& out);
void write_check_json(const RunCheck& check, const CheckCommand& how, Output& out);

}  // namespace lacuna
