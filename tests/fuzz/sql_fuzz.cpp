// Any text through the tokens, the splitter and the dialect: they may refuse it, and nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/query/dialect.h"
#include "model/query/sql_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lacuna;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t last = 0;
  for (const SqlToken& token : sql_tokens(text)) {
    if (token.begin < last || token.end <= token.begin || token.end > text.size()) std::abort();
    last = token.end;
  }
  Dialect dialect;
  last = 0;
  for (const SqlStatement& statement : split_statements(text)) {
    if (statement.begin < last || statement.end <= statement.begin || statement.end > text.size()) std::abort();
    last = statement.end;
    const auto step = dialect.translate(text, statement.begin, statement.end);
    if (!step && step.error().offset && *step.error().offset > text.size()) std::abort();
    if (step && step->sql.place(step->sql.size()) > text.size()) std::abort();
  }
  return 0;
}
