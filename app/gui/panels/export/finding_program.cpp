#include "app/gui/panels/export/finding_program.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "app/finding/write_file.h"
#include "app/gui/core/files.h"
#include "model/base/os/files.h"
#include "model/base/os/machine.h"
#include "model/base/os/process.h"
#include "model/export/trace_json_writer.h"

namespace lacuna {
namespace {

std::vector<std::string> finding_command(const FindingWish& wish, const std::string& view) {
  std::vector<std::string> words{"lacuna", "bundle"};
  for (const std::string& trace : wish.traces) words.push_back(absolute_path(trace));  // none is taken for an option
  words.push_back("--output=" + wish.output);
  words.push_back("--view=" + view);
  if (wish.range) {
    std::string from = "--from-us=", to = "--to-us=";
    append_microseconds(wish.range->begin, from);
    append_microseconds(wish.range->end, to);
    words.insert(words.end(), {from, to});
  }
  for (const std::string& query : wish.queries) words.push_back("--query=" + query);
  if (wish.scrubs) words.emplace_back("--scrub");
  if (wish.replaces) words.emplace_back("--force");
  return words;
}

/// Its exit status; in `said` the end of what it says of errors.
int run_program(std::vector<std::string> words, std::string& said) {
  const StartedProgram program = start_program(own_program(), std::move(words), ReadOutput::kErrors);
  if (program.process < 0) return -1;
  constexpr std::size_t kMostSaid = 4000;
  std::array<char, 1024> block;
  for (auto got = read_next(program.output.get(), block); got.value_or(0) > 0;
       got = read_next(program.output.get(), block)) {
    said.append(block.data(), *got);
    if (said.size() > kMostSaid) said.erase(0, said.size() - kMostSaid);
  }
  return wait_for_program(program.process);
}

}  // namespace

Result<std::string> write_finding(const FindingWish& wish) {
  const std::string view = wish.output + ".view";
  if (Result<void> kept = write_file_atomically(view, wish.view); !kept) return tl::make_unexpected(kept.error());
  std::string said;
  const int status = run_program(finding_command(wish, view), said);
  std::error_code none;
  std::filesystem::remove(view, none);
  if (status != 0)
    return fail(ErrorCode::kNotWritable, said.empty() ? "the program that writes it failed" : said, wish.output);
  return fmt::format("Wrote {}{}", file_name(wish.output),
                     wish.scrubs ? "; what was scrubbed is listed beside it, for you alone" : "");
}

}  // namespace lacuna
