#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/on_host.h"
#include "app/cli/option_values.h"

namespace lacuna {
namespace {

/// For CLI11: its own IsMember would repeat the list in the help.
auto one_of(std::vector<std::string> keys) {
  return [keys = std::move(keys)](const std::string& text) {
    if (std::ranges::find(keys, text) != keys.end()) return std::string{};
    return fmt::format("'{}' is not one of {}", text, fmt::join(keys, ", "));
  };
}

struct ScreenshotCommand : ScreenshotOptions {
  std::string size, from_us, to_us;

  void add_to(CLI::App& app) {
    app.add_option("-o,--output", output, "PNG file to write")->required()->type_name("OUT.png");
    app.add_option("--size", size, "Size in pixels (default: 1600x900)")
        ->type_name("WxH")
        ->check([](const std::string& text) {
          return parse_pixel_size(text) ? std::string{} : "'" + text + "' is not WxH, like 1600x900";
        });
    CLI::Option* from =
        app.add_option("--from-us", from_us, "Start of what is visible: a ts of the file, or time since its start");
    CLI::Option* to = app.add_option("--to-us", to_us, "End of what is visible");
    from->type_name("A")->check(is_microseconds)->needs(to);
    to->type_name("B")->check(is_microseconds)->needs(from);
    app.add_option("--select", select, "Select the longest slice of this name")->type_name("NAME");
    app.add_option("--panel", panel, "What the drawer shows (default: statistics)")
        ->type_name("PANEL")
        ->check(one_of({kScreenshotPanels.begin(), kScreenshotPanels.end()}));
    app.add_option("--compare", compare, "A second trace, for a split timeline")->type_name("TRACE");
    app.add_option("--scale", scale, "Size of text and rows (default: 1)")
        ->check(is_finite)
        ->check(CLI::Range(0.5, 4.0))
        ->type_name("X");
    app.add_option("--density", density,
                   "Pixels per unit of the layout, as on a screen that its system scales (default: 1)")
        ->check(is_finite)
        ->check(CLI::Range(1.0, 4.0))
        ->type_name("X");
    app.add_flag("--light", light, "Light colours");
    app.add_flag("--by-class", by_class, "Colour GPU work by class (GEMM, attention, copy ...), not by name");
  }

  Result<void> run(const CommandContext& context) {
    if (!context.graphics.take_screenshot)
      return fail(ErrorCode::kUnsupported,
                  "this lacuna was built without graphics (LACUNA_GUI=OFF), so it cannot take "
                  "screenshots; it has lacuna report|gaps|stats|info TRACE");
    paths = context.load.paths;
    import = context.load.import;
    std::vector<std::string> inputs = paths;
    if (!compare.empty()) inputs.push_back(compare);
    if (Result<void> safe = check_is_no_input(output, inputs); !safe) return safe;
    if (const auto pixels = parse_pixel_size(size)) {
      width = pixels->width;
      height = pixels->height;
    }
    range = parse_range(from_us, to_us);
    return context.graphics.take_screenshot(*this);
  }

  /// The paths become those of fetched files.
  Result<void> fetch(CommandContext& context, const RemotePlace& place) {
    if (!context.load.paths.empty()) {
      Result<std::vector<std::string>> fetched = fetch_from_host(place, context.load.paths);
      if (!fetched) return tl::make_unexpected(fetched.error());
      context.load.paths = std::move(*fetched);
    }
    if (!compare.empty()) {
      const Result<std::vector<std::string>> fetched = fetch_from_host(place, {compare});
      if (!fetched) return tl::make_unexpected(fetched.error());
      compare = fetched->front();
    }
    return {};
  }
};

}  // namespace

Command screenshot_command(CommandContext& context) {
  const auto command = std::make_shared<ScreenshotCommand>();
  Command screenshot{"screenshot", "Draws the window into a PNG; needs no display server",
                     "The picture shows the same user interface as the window.",
                     [&context, command](CLI::App& app) {
                       context.load.add_to(app, true);
                       command->add_to(app);
                     },
                     [&context, command] { return command->run(context); }};
  screenshot.run_there = [&context, command](const RemotePlace& place) -> Result<bool> {
    if (Result<void> fetched = command->fetch(context, place); !fetched) return tl::make_unexpected(fetched.error());
    return command->run(context).map([] { return true; });
  };
  return screenshot;
}

}  // namespace lacuna
