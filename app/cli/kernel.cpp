#include "app/cli/kernel.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "model/kernels/kernel_name.h"

namespace lacuna {

void print_kernels(const std::vector<std::string>& names, bool json, Output& out) {
  if (json) {
    JsonWriter writer(out);
    writer.begin_list("kernels");
    for (const std::string& name : names) {
      const KernelName read = read_kernel_name(name);
      Json facts = Json::object();
      for (const auto& [label, value] : read.lines()) facts[std::string(label)] = value;
      writer.element({{"name", name},
                      {"class", kernel_class_key(read.kernel_class)},
                      {"title", read.title},
                      {"sentence", read.is_known() ? Json(read.sentence) : Json()},
                      {"facts", facts}});
    }
    writer.end();
    writer.finish();
    return;
  }
  for (const std::string& name : names) {
    const KernelName read = read_kernel_name(name);
    out.write(printable(read.title) + "\n");
    const std::string sentence = read.is_known() ? read.sentence : "No grammar knows this name.";
    for (const std::string& line : wrapped(printable(sentence), terminal_width() - 2)) out.write("  " + line + "\n");
    out.write(fmt::format("  {:<17}{}: {}\n", "Class", kernel_class_name(read.kernel_class),
                          kernel_class_definition(read.kernel_class)));
    for (const auto& [label, value] : read.lines()) out.write(fmt::format("  {:<17}{}\n", label, printable(value)));
  }
}

constexpr const char* kKernelHelp =
    "Lacuna reads the name alone and guesses nothing; of a name that none of its grammars knows it tells the "
    "class at most.\n"
    "--json: kernels[]: name, class, title, sentence (null: not known), facts";

Command kernel_command(CommandContext&) {
  struct Options {
    std::vector<std::string> names;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  return {
      "kernel", "What the name of a kernel means", kKernelHelp,
      [options](CLI::App& app) {
        app.add_option("NAME", options->names, "As the trace has it; put it into quotes")->type_name("")->required();
        add_json_flag(app, options->json);
      },
      [options] {
        return answer([&](Output& out) -> Result<void> {
          print_kernels(options->names, options->json, out);
          return {};
        });
      }};
}

}  // namespace lacuna
