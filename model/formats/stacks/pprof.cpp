#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/formats/stacks/stack_formats.h"
#include "model/formats/wire_message.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

// Field numbers of profile.proto.
constexpr std::uint32_t kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kString = 6, kDefaultType = 14;

struct ValueUnit {
  std::string_view name;
  Nanos ns;
  std::string_view note;
};
constexpr ValueUnit kValueUnits[] = {{"nanoseconds", 1, "no times in the file, one after the other"},
                                     {"microseconds", 1000, "no times in the file, one after the other"},
                                     {"milliseconds", 1'000'000, "no times in the file, one after the other"},
                                     {"seconds", 1'000'000'000, "no times in the file, one after the other"},
                                     {"bytes", 1, "bytes, drawn as ns"},
                                     {"count", 1'000'000, "no times in the file, 1 ms for each"}};

class PprofReader {
 public:
  PprofReader(const FormatInput& input, TraceSource& facts) : input_(input), facts_(facts) {}

  Result<void> read(const BatchReceiver& receive) {
    if (auto loaded = load(); !loaded) return loaded;
    WireMessage message(text_);
    for (WireField field; message.next(field);) {
      if (field.number == kString) strings_.push_back(field.bytes);
      if (field.number == kSampleType) types_.push_back(type_of(field.bytes));
      if (field.number == kFunction) add_function(field.bytes);
      if (field.number == kDefaultType) default_type_ = field.value;
    }
    if (message.is_broken()) facts_.report.add(Finding::kUnterminated, text_.size());
    WireMessage locations(text_);
    for (WireField field; locations.next(field);)
      if (field.number == kLocation) add_location(field.bytes);
    choose_type();
    SampledProfile::Thread& thread = profile_.thread(1, 1);
    thread.name = fmt::format("{} \xC2\xB7 {}", chosen_name_, unit_->note);
    WireMessage samples(text_);
    for (WireField field; samples.next(field);)
      if (field.number == kSample) add_sample(field.bytes, thread);
    facts_.report.add(Finding::kEventUnreadable, ImportReport::kNoOffset, "locations that the file does not have",
                      lost_);
    profile_.lay_out(thread);
    TraceSink sink(input_, facts_, receive);
    return write_profile(profile_, input_, facts_, sink);
  }

 private:
  struct Type {
    std::uint64_t name = 0, unit = 0;
  };

  /// A profile lists its texts behind what names them, so all of it is kept; it is as large as its file.
  Result<void> load() {
    const auto ending = input_.bytes.ending();
    if (ending.error) return tl::make_unexpected(*ending.error);
    if (ending.is_truncated) facts_.report.add(Finding::kTruncatedCompression, ending.truncated_at);
    if (input_.bytes.size() > input_.options.max_json_bytes)
      return fail(ErrorCode::kLimit, "the profile is larger than the limit; --max-bytes raises it", input_.path);
    text_.resize(static_cast<std::size_t>(input_.bytes.size()));
    text_.resize(input_.bytes.read_at(0, text_));
    return {};
  }

  std::string_view string(std::uint64_t index) const { return index < strings_.size() ? strings_[index] : ""; }

  static Type type_of(std::string_view bytes) {
    Type type;
    WireMessage message(bytes);
    for (WireField field; message.next(field);) (field.number == 1 ? type.name : type.unit) = field.value;
    return type;
  }

  void add_function(std::string_view bytes) {
    std::uint64_t id = 0;
    Function function;
    WireMessage message(bytes);
    for (WireField field; message.next(field);) {
      if (field.number == 1) id = field.value;
      if (field.number == 2) function.name = field.value;
      if (field.number == 4) function.file = field.value;
      if (field.number == 5) function.line = field.integer();
    }
    functions_[id] = function;
  }

  /// The frames of a location: what was inlined there first.
  void add_location(std::string_view bytes) {
    std::uint64_t id = 0, address = 0;
    std::vector<std::uint32_t> frames;
    WireMessage message(bytes);
    for (WireField field; message.next(field);) {
      if (field.number == 1) id = field.value;
      if (field.number == 3) address = field.value;
      if (field.number != 4) continue;
      WireMessage line(field.bytes);
      for (WireField part; line.next(part);)
        if (part.number == 1) frames.push_back(frame_of(part.value));
    }
    if (frames.empty()) frames.push_back(profile_.add_frame({.name = fmt::format("{:#x}", address)}));
    locations_[id] = std::move(frames);
  }

  std::uint32_t frame_of(std::uint64_t function_id) {
    Function& function = functions_[function_id];
    if (!function.frame) {
      const std::string_view name = string(function.name);
      function.frame = profile_.add_frame({.name = name.empty() ? "[unknown code]" : std::string(name),
                                           .file = std::string(string(function.file)),
                                           .line = function.line});
    }
    return *function.frame;
  }

  /// Time where there is some; else what the profile says is its default; else the last, as pprof does.
  void choose_type() {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      chosen_ = i;
      if (default_type_ != 0 && types_[i].name == default_type_) break;
      if (string(types_[i].unit) == "nanoseconds" && default_type_ == 0) break;
    }
    if (types_.empty()) return;
    chosen_name_ = string(types_[chosen_].name);
    for (const ValueUnit& unit : kValueUnits)
      if (unit.name == string(types_[chosen_].unit)) unit_ = &unit;
  }

  void add_sample(std::string_view bytes, SampledProfile::Thread& thread) {
    std::vector<std::uint64_t> locations;
    std::uint64_t value = 0;
    std::size_t values = 0;
    WireMessage message(bytes);
    for (WireField field; message.next(field);) {
      if (field.number == 1)
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t id) { locations.push_back(id); });
      if (field.number == 2)
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t number) {
          if (values++ == chosen_) value = number;
        });
    }
    SampledProfile::Sample sample;
    for (std::size_t i = locations.size(); i-- > 0;) {
      const auto found = locations_.find(locations[i]);
      if (found == locations_.end()) {
        ++lost_;
        continue;
      }
      for (std::size_t k = found->second.size(); k-- > 0;)
        sample.stack = profile_.add_stack(sample.stack, found->second[k]);
    }
    const auto amount = static_cast<Nanos>(std::min<std::uint64_t>(value, INT64_MAX));
    if (__builtin_mul_overflow(amount, unit_->ns, &sample.duration)) sample.duration = INT64_MAX;
    if (static_cast<std::int64_t>(value) > 0) thread.samples.push_back(sample);
  }

  struct Function {
    std::uint64_t name = 0, file = 0;
    std::int64_t line = 0;
    std::optional<std::uint32_t> frame = {};
  };

  const FormatInput& input_;
  TraceSource& facts_;
  std::string text_;
  SampledProfile profile_;
  std::vector<std::string_view> strings_;
  std::vector<Type> types_;
  std::unordered_map<std::uint64_t, Function, SeededHash> functions_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>, SeededHash> locations_;
  std::uint64_t default_type_ = 0;
  std::size_t chosen_ = 0;
  std::string_view chosen_name_ = "samples";
  const ValueUnit* unit_ = &kValueUnits[5];
  std::uint64_t lost_ = 0;
};

/// Whether all of a message are numbers, of fields up to `last`.
bool has_only_numbers(std::string_view message, std::uint32_t last) {
  WireMessage fields(message);
  bool has_some = false;
  for (WireField field; fields.next(field); has_some = true) {
    if (field.number > last || field.type != WireField::Type::kVarint) return false;
  }
  return has_some && !fields.is_broken();
}

/// Two fields of a profile or more, in any order, and of those of numbers alone (types of values, mappings, functions)
/// at least one that is whole.
bool is_pprof(std::string_view head, bool) {
  constexpr std::uint64_t kVarintType = 0, kBytesType = 2;
  constexpr std::array<std::uint32_t, 16> kLastOfNumbers{0, 2, 0, 10, 0, 5, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};
  constexpr std::array<std::uint64_t, 16> kTypes{9, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0};
  constexpr std::uint64_t kComments = 13;  // packed or not
  bool has_numbers = false;
  std::size_t fields = 0;
  for (; !head.empty(); ++fields) {
    const WireVarint tag = read_varint(head);
    const std::uint64_t number = tag.value >> 3, type = tag.value & 7;
    if (tag.size == 0 || number >= kTypes.size()) return has_numbers && tag.size == 0 && head.size() < 10;
    if (type != kTypes[number] && (number != kComments || type != kBytesType)) return false;
    if (fields == 0 && number != 1 && number != 3 && number != 9) return false;
    head.remove_prefix(tag.size);
    const WireVarint value = read_varint(head);
    if (value.size == 0) return has_numbers && head.size() < 10;
    head.remove_prefix(value.size);
    if (type == kVarintType) continue;
    if (value.value > head.size()) return has_numbers;
    const std::string_view content = head.substr(0, static_cast<std::size_t>(value.value));
    head.remove_prefix(content.size());
    if (kLastOfNumbers[number] == 0) continue;
    if (!has_only_numbers(content, kLastOfNumbers[number])) return false;
    has_numbers = true;
  }
  return has_numbers && fields > 1;
}

}  // namespace

constinit const Format kPprofFormat{
    .title = "pprof",
    .endings = {".pprof", ".prof", ".pb"},
    .recognises = is_pprof,
    .text = Format::Text::kMade,
    .read = [](const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
      return PprofReader(input, facts).read(receive);
    }};

}  // namespace lacuna
