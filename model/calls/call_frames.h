#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/causes/gap_cause.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The kind of a frame of a call tree.
enum class CallKind : std::uint8_t {
  kSlices,        ///< slices of one name and category
  kRoot,          ///< the root: all time
  kSteps,         ///< all "ProfilerStep#k": steps are one frame, so that they can be compared with others
  kModules,       ///< all "nn.Module: Linear_k": instances of a class are one frame
  kHiddenPython,  ///< time in hidden Python frames without any frame around them
  kNoLaunch,      ///< GPU work whose launch is not in the file
  kUnrecorded,    ///< idle time in which the CPU ran nothing recorded
  kCause,         ///< idle time not caused by the CPU, by cause
};

/// Identifies a frame. Frames with equal keys are the same.
struct CallKey {
  CallKind kind = CallKind::kSlices;
  CategoryId category{0};        ///< kSlices, kModules
  StringId name = kEmptyString;  ///< kSlices; kModules: name of one instance; kCause: the cause as a number

  static CallKey of(CallKind kind, std::uint32_t value = 0) { return {kind, CategoryId{0}, StringId{value}}; }
  /// Packs the key into one number; categories have 16 bits (see Lane).
  std::uint64_t packed() const {
    return static_cast<std::uint64_t>(kind) << 48 | std::uint64_t{category.value & 0xffffu} << 32 | name.value;
  }
  bool operator==(const CallKey&) const = default;
};

/// "aten::mm", "nn.Module: Linear", "ProfilerStep#…", "(launch not recorded)", "(not the CPU's: dependency)".
/// `names`: those to which the key refers.
std::string call_label(const StringPool& names, const CallKey& key);
inline std::string call_label(const Trace& trace, const CallKey& key) {
  return call_label(trace.strings(), key);
}

/// Maps slices to frames. One per thread: it caches its findings about names.
class CallFrames {
 public:
  CallFrames(const Trace& trace, bool hides_python);

  enum class What : std::uint8_t {
    kShown,
    kHidden,     ///< its time counts for the frame around it
    kRecording,  ///< spans the whole recording and is no work: see is_recording()
  };
  /// Sets `key` unless the slice is a recording.
  What of(const Lane& lane, std::uint32_t index, CallKey& key);
  What of(SliceId slice, CallKey& key) { return of(trace_.lane(slice), slice.index, key); }

 private:
  enum class Rule : std::uint8_t { kPlain, kMayBeStep, kPython, kRecording };
  enum class Answer : std::uint8_t { kUnasked, kNo, kYes };
  bool ask(StringId name, bool (*question)(std::string_view));
  /// Returns the name that stands for all instances of a module's class: the instance with the lowest number.
  StringId class_of(StringId module);

  const Trace& trace_;
  bool hides_python_;
  std::vector<Rule> rules_;      // by category
  std::vector<Answer> answers_;  // by name: is it a step, or a module's frame; no name is asked for both
  std::unordered_map<std::uint32_t, StringId> classes_;  // by name of the module's frame
};

}  // namespace lacuna
