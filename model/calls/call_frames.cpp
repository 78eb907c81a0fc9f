#include "model/calls/call_frames.h"

#include <fmt/format.h>

#include "model/calls/launched_work.h"
#include "model/causes/known_names.h"
#include "model/statistics/statistics.h"

namespace lacuna {

namespace {

constexpr int kMostInstances = 64;  // looked at for the least number of a class

/// "nn.Module: Linear" of "nn.Module: Linear_12"; the whole where there is no number.
std::string_view module_class(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  const bool has_number = digits != std::string_view::npos && name[digits] == '_' && digits + 1 < name.size();
  return has_number ? name.substr(0, digits) : name;
}

}  // namespace

std::string call_label(const StringPool& names, const CallKey& key) {
  switch (key.kind) {
    case CallKind::kSlices:
      return std::string(names.get(key.name));
    case CallKind::kRoot:
      return "Everything";
    case CallKind::kSteps:
      return "ProfilerStep#\xE2\x80\xA6";
    case CallKind::kModules:
      return std::string(module_class(names.get(key.name)));
    case CallKind::kHiddenPython:
      return "(Python frames)";
    case CallKind::kNoLaunch:
      return "(launch not recorded)";
    case CallKind::kUnrecorded:
      return "(nothing recorded)";
    case CallKind::kCause:
      return fmt::format("(not the CPU's: {})", cause_name(static_cast<GapCause>(key.name.value)));
  }
  return {};
}

CallFrames::CallFrames(const Trace& trace, bool hides_python)
    : trace_(trace), hides_python_(hides_python), answers_(trace.strings().size()) {
  for (std::uint32_t c = 0; c < trace.categories().size(); ++c) {
    const CategoryClass meaning = trace.category_class(CategoryId{c});
    rules_.push_back(is_recording(trace, CategoryId{c})          ? Rule::kRecording
                     : meaning == CategoryClass::kPythonFunction ? Rule::kPython
                     // Files of 2021 give steps the category of operators.
                     : meaning == CategoryClass::kCpuAnnotation || meaning == CategoryClass::kCpuOperator
                         ? Rule::kMayBeStep
                         : Rule::kPlain);
  }
}

bool CallFrames::ask(StringId name, bool (*question)(std::string_view)) {
  if (name.value >= answers_.size()) return question(trace_.text(name));
  Answer& answer = answers_[name.value];
  if (answer == Answer::kUnasked) answer = question(trace_.text(name)) ? Answer::kYes : Answer::kNo;
  return answer == Answer::kYes;
}

StringId CallFrames::class_of(StringId module) {
  const auto [found, is_new] = classes_.try_emplace(module.value, module);
  if (!is_new) return found->second;
  const std::string_view whole = trace_.text(module);
  const std::string_view name = module_class(whole);
  if (name.size() == whole.size()) return module;
  for (int k = 0; k < kMostInstances; ++k) {
    const StringId instance = trace_.strings().find(fmt::format("{}_{}", name, k));
    if (!instance.valid()) continue;
    found->second = instance;
    break;
  }
  return found->second;
}

CallFrames::What CallFrames::of(const Lane& lane, std::uint32_t index, CallKey& key) {
  key = {CallKind::kSlices, lane.category(index), lane.name(index)};
  const Rule rule = key.category.value < rules_.size() ? rules_[key.category.value] : Rule::kPlain;
  switch (rule) {
    case Rule::kPlain:
      return What::kShown;
    case Rule::kRecording:
      return What::kRecording;
    case Rule::kMayBeStep:
      if (ask(key.name, is_profiler_step)) key = CallKey::of(CallKind::kSteps);
      return What::kShown;
    case Rule::kPython:
      if (!ask(key.name, is_module_frame)) return hides_python_ ? What::kHidden : What::kShown;
      key.kind = CallKind::kModules;
      key.name = class_of(key.name);
      return What::kShown;
  }
  return What::kShown;
}

}  // namespace lacuna
