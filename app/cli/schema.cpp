// JSON Schemas of what commands write with --json. Their source is shapes/COMMAND.json beside the writers:
//
//   {"version": 1, "defs": {"place": {…}}, "forms": {"report": {…}, "brief": {…}}}
//
// A form is what one document may be. In it {"key": …} is an object with just these keys ("key?": it may be absent),
// {"*": …} one with any keys, […] a list; a text has the types of a value, "integer|null", "any", or "@place" for one
// of the defs; {"|null": …} may be null as well. The version counts up where a key goes or means something else.

#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/json_shapes.h"
#include "app/cli/json_writer.h"

namespace lacuna {
namespace {

struct SchemaOptions {
  std::string command;
  bool explains = false;

  void add_to(CLI::App& app) {
    app.add_flag("--explain", explains, "Say in words what the keys mean, in place of the schema");
    app.add_option("COMMAND", command, "Whose schema; without one: all that there are, with their versions")
        ->type_name("");
  }
};

Json schema_of_types(const std::string& text) {
  Json types = Json::array(), any_of = Json::array();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    const std::string type = text.substr(at, end - at);
    at = end + 1;
    if (type == "any") return Json::object();
    if (type.starts_with('@'))
      any_of.push_back({{"$ref", "#/$defs/" + type.substr(1)}});
    else
      types.push_back(type);
  }
  if (types.size() == 1) types = Json(types.front());
  if (any_of.empty()) return {{"type", types}};
  if (types.empty()) return any_of.front();
  any_of.push_back({{"type", types}});
  return {{"anyOf", any_of}};
}

Json schema_of_shape(const Json& shape) {
  if (shape.is_string()) return schema_of_types(shape.get<std::string>());
  if (shape.is_array()) return {{"type", "array"}, {"items", schema_of_shape(shape.front())}};
  if (shape.contains("|null")) return {{"anyOf", Json::array({schema_of_shape(shape["|null"]), {{"type", "null"}}})}};
  if (shape.contains("*")) return {{"type", "object"}, {"additionalProperties", schema_of_shape(shape["*"])}};
  Json properties = Json::object(), required = Json::array();
  for (const auto& [name, value] : shape.items()) {
    std::string key = name;
    if (key.ends_with('?'))
      key.pop_back();
    else
      required.push_back(key);
    properties[key] = schema_of_shape(value);
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

Json make_schema(std::string_view command, const Json& source) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$id", fmt::format("urn:lacuna:{}:{}", command, source["version"].get<int>())},
              {"title", fmt::format("lacuna {} --json", command)},
              {"version", source["version"]}};
  Json defs = Json::object(), any_of = Json::array();
  if (source.contains("defs"))
    for (const auto& [name, shape] : source["defs"].items()) defs[name] = schema_of_shape(shape);
  for (const auto& [name, shape] : source["forms"].items()) {
    const std::string def = "form." + name;
    defs[def] = schema_of_shape(shape);
    any_of.push_back({{"$ref", "#/$defs/" + def}});
  }
  schema["anyOf"] = any_of;
  schema["$defs"] = defs;
  return schema;
}

Result<void> print_json_schema(const SchemaOptions& options, CommandContext& context) {
  return answer([&](Output& out) -> Result<void> {
    if (options.explains) {
      for (const Command& command : all_commands(context)) {
        if (command.name != options.command || command.json_keys().empty()) continue;
        out.write(std::string(command.json_keys()) + "\n");
        return {};
      }
      return options.command.empty() ? fail(ErrorCode::kInvalidArgument,
                                            "--explain needs the name of a command: lacuna schema gaps --explain")
                                     : fail(ErrorCode::kInvalidArgument,
                                            "no command has that name, or its schema needs no words", options.command);
    }
    std::string known;
    for (const auto& [command, text] : kJsonShapes) {
      const Json source = Json::parse(text);
      if (options.command == command) {
        out.write(make_schema(command, source).dump(1) + "\n");
        return {};
      }
      known += fmt::format("{}{}", known.empty() ? "" : ", ", command);
      if (options.command.empty()) out.write(fmt::format("{} {}\n", command, source["version"].get<int>()));
    }
    if (options.command.empty()) return {};
    return fail(ErrorCode::kInvalidArgument, "that command writes no JSON; these do: " + known, options.command);
  });
}

constexpr const char* kSchemaHelp =
    R"help(The JSON Schema (2020-12) of what a command writes with --json; of one that answers in several ways with anyOf. The
version, also at the end of $id, counts up where a key goes or means something else; new keys may come without.)help";

}  // namespace

Command schema_command(CommandContext& context) {
  return make_command("schema", "JSON Schemas of what commands write with --json", kSchemaHelp,
                      std::make_shared<SchemaOptions>(),
                      [&context](const SchemaOptions& options) { return print_json_schema(options, context); });
}

}  // namespace lacuna
