#include "model/formats/perfetto/gpu_work_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "model/formats/perfetto/packet_fields.h"
#include "model/formats/wire_message.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

// Threads of no process, for what drivers log; above the numbers of track_table.cpp.
constexpr SinkThread kLogThread{0, 1'600'000'000}, kSubmitThread{0, 1'600'000'001};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  // "007" is no number that is written again as it stands.
  if (text != "0" && (text.starts_with('0') || text.starts_with("-0"))) return std::nullopt;
  return number;
}

/// "[007] stream 7", "stream 007": the number of the stream that PyTorch calls a queue by.
std::optional<std::int64_t> stream_of_name(std::string_view name) {
  constexpr std::string_view kWord = "stream ";
  if (name.starts_with('[')) {
    name.remove_prefix(1);
  } else if (name.starts_with(kWord)) {
    name.remove_prefix(kWord.size());
  } else {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// The subpasses of a render pass, from the words of a mask: "3,68".
std::string subpasses_of(std::span<const std::uint64_t> mask) {
  std::string text;
  constexpr std::size_t kMostWords = 64;
  for (std::size_t i = 0; i < std::min(mask.size(), kMostWords) * 64; ++i) {
    if ((mask[i / 64] >> (i % 64) & 1) == 0) continue;
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ",", i);
  }
  return text;
}

}  // namespace

/// A GpuRenderStageEvent; its args are in arguments_.
struct GpuWorkWriter::Stage {
  std::uint64_t event_id = 0, duration = 0;
  std::optional<std::uint64_t> queue_id, stage_id;  // interned
  std::optional<std::int64_t> old_queue, old_stage;
  std::int64_t gpu = 0;
  std::string_view name, kernel_name;
  bool has_kernel = false, has_launch = false;
  std::vector<std::uint64_t> waits;
};

void GpuWorkWriter::write(const IndexedEvent& event) {
  arguments_.clear();
  const Stage stage = read(bytes_of_field(reader_.again(event.place, 0), kGpuRenderStageEvent), event.interned);
  const std::string stage_name = stage_of(stage, event.interned);
  const auto queue_id = queue_of(stage, event.interned);
  if (!queue_id) return report_.add(Finding::kPacketWithoutState, event.place.reported());
  const std::int64_t stream = queue_id->second;
  const std::string_view name = !stage.name.empty()          ? stage.name
                                : !stage.kernel_name.empty() ? stage.kernel_name
                                                             : std::string_view(stage_name);
  std::string_view category = "kernel";
  if (!stage.has_kernel && !stage.has_launch) {
    if (stage_name.starts_with("Memcpy")) category = "gpu_memcpy";
    if (stage_name.starts_with("Memset")) category = "gpu_memset";
    if (stage_name == "Annotation") category = "gpu_user_annotation";
  }
  Nanos end = 0;
  if (__builtin_add_overflow(event.time, stage.duration, &end)) end = INT64_MAX;

  const bool is_of_pytorch = arguments_.find("correlation") != nullptr;
  const auto submitted = index_.submissions.find(stage.event_id);
  if (submitted != index_.submissions.end()) {
    arguments_.set("correlation", submitted->second);
  } else if (category != "gpu_user_annotation") {
    arguments_.add("correlation", static_cast<std::int64_t>(stage.event_id));
  }
  arguments_.set("device", stage.gpu);
  arguments_.set("stream", stream);
  if (!stage_name.empty() && stage_name != name) arguments_.add("stage", stage_name);

  Queue& queue = queues_.at(*queue_id);
  if (category != "gpu_user_annotation") {
    if (is_of_pytorch && queue.has_work && queue.last_end == event.time)
      report_.add(Finding::kKernelEndsClamped, event.place.reported(), name);
    queue.last_end = end;
    queue.has_work = true;
  }
  const ArrowEnd here{{stage.gpu, stream}, event.time};
  if (index_.awaited.contains(stage.event_id)) awaited_.try_emplace(stage.event_id, here);
  for (const std::uint64_t id : stage.waits) waiting_.emplace_back(id, here);

  sink_.slice(category, name, {stage.gpu, stream}, event.time, end);
  sink_.arguments();
  arguments_.write(sink_);
  sink_.end();
}

GpuWorkWriter::Stage GpuWorkWriter::read(std::string_view message, InternedData::Generation generation) {
  Stage stage;
  std::vector<std::uint64_t> mask;
  WireMessage event(message);
  for (WireField field; event.next(field);) {
    switch (field.number) {
      case 1:
        stage.event_id = field.value;
        break;
      case 2:
        stage.duration = field.value;
        break;
      case 3:
        stage.old_queue = static_cast<std::uint32_t>(field.value);
        break;
      case 4:
        stage.old_stage = static_cast<std::int32_t>(field.value);
        break;
      case 5:
        arguments_.set("context", field.integer());
        read_context(index_.interned.find(generation, kInternedGraphicsContext, field.value));
        break;
      case 6:
        read_extra(field.bytes);
        break;
      case 8:
        arguments_.set("render_target", field.integer());
        break;
      case 9:
        arguments_.set("render_pass", field.integer());
        break;
      case 10:
        arguments_.set("submission_id", field.integer());
        break;
      case 11:
        stage.gpu = static_cast<std::int32_t>(field.value);
        break;
      case 12:
        arguments_.set("command_buffer", field.integer());
        break;
      case 13:
        stage.queue_id = field.value;
        break;
      case 14:
        stage.stage_id = field.value;
        break;
      case 15:
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t word) { mask.push_back(word); });
        break;
      case 17:
        stage.name = field.bytes;
        break;
      case 18:
        for_each_number(field, WireField::Type::kVarint, [&](std::uint64_t id) { stage.waits.push_back(id); });
        break;
      case 19:
        read_kernel(index_.interned.find(generation, kInternedComputeKernel, field.value), generation, stage);
        break;
      case 20:
        stage.name = index_.interned.find(generation, kInternedEventName, field.value);
        break;
      case 21:
        stage.has_launch = true;
        read_launch(field.bytes, generation);
        break;
      default:
        break;
    }
  }
  if (!mask.empty()) arguments_.set("render_subpasses", subpasses_of(mask));
  return stage;
}

void GpuWorkWriter::read_context(std::string_view message) {
  constexpr std::array<std::string_view, 6> kApis{"", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
  WireMessage context(message);
  for (WireField field; context.next(field);) {
    if (field.number == 2) arguments_.set("process", field.integer());
    if (field.number == 3 && field.value > 0 && field.value < kApis.size())
      arguments_.set("api", std::string(kApis[field.value]));
  }
}

void GpuWorkWriter::read_kernel(std::string_view message, InternedData::Generation generation, Stage& stage) {
  if (message.empty()) return;
  stage.has_kernel = true;
  WireMessage kernel(message);
  for (WireField field; kernel.next(field);) {
    if (field.number == 2 && stage.kernel_name.empty()) stage.kernel_name = field.bytes;
    if (field.number == 3 && !field.bytes.empty()) stage.kernel_name = field.bytes;
    if (field.number == 2) arguments_.set("kernel_name", std::string(field.bytes));
    if (field.number == 3) arguments_.set("kernel_demangled_name", std::string(field.bytes));
    if (field.number == 4) arguments_.set("arch", std::string(field.bytes));
    if (field.number == 5) read_argument(field.bytes, generation);
  }
}

/// Grid and block under the names that Kineto gives them.
void GpuWorkWriter::read_launch(std::string_view message, InternedData::Generation generation) {
  WireMessage launch(message);
  for (WireField field; launch.next(field);) {
    if (field.number == 1 || field.number == 2) {
      std::vector<std::int64_t> size(3, 1);
      WireMessage dimensions(field.bytes);
      for (WireField part; dimensions.next(part);) {
        if (part.number >= 1 && part.number <= 3)
          size[part.number - 1] = static_cast<std::int64_t>(part.value & 0xffffffff);
      }
      arguments_.set(field.number == 1 ? "grid" : "block", std::move(size));
    }
    if (field.number == 3) read_argument(field.bytes, generation);
  }
}

void GpuWorkWriter::read_argument(std::string_view message, InternedData::Generation generation) {
  std::string_view key;
  std::optional<EventArguments::Value> value;
  WireMessage argument(message);
  for (WireField field; argument.next(field);) {
    switch (field.number) {
      case 1:
        key = index_.interned.find(generation, kInternedComputeArgument, field.value);
        break;
      case 2:
        key = field.bytes;
        break;
      case 3:
      case 4:
        value = field.integer();
        break;
      case 5:
        value = field.real();
        break;
      case 6:
        value = std::string(field.bytes);
        break;
      case 7:
        value = std::string(index_.interned.find(generation, kInternedAnnotationText, field.value));
        break;
      default:
        break;
    }
  }
  if (key.empty() || !value) return;
  // What Kineto calls them, for whoever looks for those.
  if (key == "registers_per_thread") key = "registers per thread";
  if (key == "shared_mem_dynamic") key = "shared memory";
  arguments_.set(key, std::move(*value));
}

void GpuWorkWriter::read_extra(std::string_view message) {
  std::string_view key, text;
  WireMessage extra(message);
  for (WireField field; extra.next(field);) {
    if (field.number == 1) key = field.bytes;
    if (field.number == 2) text = field.bytes;
  }
  if (key.empty()) return;
  if (const auto number = whole_number(text)) {
    arguments_.set(key, *number);
  } else {
    arguments_.set(key, std::string(text));
  }
}

/// Queues are told apart by their names: each sequence counts its own.
std::optional<GpuWorkWriter::QueueId> GpuWorkWriter::queue_of(const Stage& stage, InternedData::Generation generation) {
  std::string name, description;
  std::int64_t number = 0;
  if (stage.queue_id) {
    number = static_cast<std::int64_t>(*stage.queue_id);
    const std::string_view message = index_.interned.find(generation, kInternedGpuSpecification, *stage.queue_id);
    if (message.empty()) return std::nullopt;
    WireMessage specification(message);
    for (WireField field; specification.next(field);) {
      if (field.number == 2) name = field.bytes;
      if (field.number == 3) description = field.bytes;
    }
  } else {
    number = stage.old_queue.value_or(0);
    if (static_cast<std::size_t>(number) < index_.queues.size()) {
      name = index_.queues[static_cast<std::size_t>(number)].name;
      description = index_.queues[static_cast<std::size_t>(number)].description;
    }
  }
  number = stream_of_name(name).value_or(number);
  if (name.empty()) name = fmt::format("Unknown GPU Queue {}", number);
  const auto [known, is_new] = queue_of_name_.try_emplace({stage.gpu, name});
  if (is_new) {
    QueueId id{stage.gpu, number};
    while (queues_.contains(id)) id.second = next_stream_++;
    queues_[id] = {.name = name, .description = std::move(description)};
    known->second = id;
  }
  return known->second;
}

std::string GpuWorkWriter::stage_of(const Stage& stage, InternedData::Generation generation) {
  std::string name;
  if (stage.stage_id) {
    WireMessage specification(index_.interned.find(generation, kInternedGpuSpecification, *stage.stage_id));
    for (WireField field; specification.next(field);) {
      if (field.number == 2) name = field.bytes;
      if (field.number == 3) arguments_.add("description", std::string(field.bytes));
    }
  } else if (const std::int64_t number = stage.old_stage.value_or(-1);
             number >= 0 && static_cast<std::size_t>(number) < index_.stages.size()) {
    const TraceIndex::GpuWords& words = index_.stages[static_cast<std::size_t>(number)];
    name = words.name;
    if (!words.description.empty()) arguments_.add("description", words.description);
  }
  if (name.empty())
    name = fmt::format("render stage({})",
                       stage.stage_id.value_or(static_cast<std::uint64_t>(stage.old_stage.value_or(0))));
  return name;
}

void GpuWorkWriter::write_log(const IndexedEvent& event) {
  constexpr std::array<std::string_view, 6> kSeverities{"UNSPECIFIED", "VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR"};
  std::uint64_t severity = 0;
  std::string_view tag, text;
  WireMessage log(bytes_of_field(reader_.again(event.place, 0), kGpuLog));
  for (WireField field; log.next(field);) {
    if (field.number == 1) severity = field.value;
    if (field.number == 2) tag = field.bytes;
    if (field.number == 3) text = field.bytes;
  }
  has_log_ = true;
  sink_.instant({}, kSeverities[severity < kSeverities.size() ? severity : 0], kLogThread, event.time);
  sink_.arguments();
  sink_.argument("tag", tag);
  sink_.argument("message", text);
  sink_.end();
}

void GpuWorkWriter::write_submit(const IndexedEvent& event) {
  const std::string_view message = bytes_of_field(bytes_of_field(reader_.again(event.place, 0), kVulkanApiEvent), 2);
  if (message.empty()) return;  // a name of an object
  std::uint64_t duration = 0;
  arguments_.clear();
  std::vector<std::int64_t> buffers;
  WireMessage submit(message);
  for (WireField field; submit.next(field);) {
    if (field.number == 1) duration = field.value;
    if (field.number == 2) arguments_.set("pid", field.integer());
    if (field.number == 3) arguments_.set("tid", field.integer());
    if (field.number == 4) arguments_.set("vk_queue", field.integer());
    if (field.number == 5) {
      for_each_number(field, WireField::Type::kVarint,
                      [&](std::uint64_t buffer) { buffers.push_back(static_cast<std::int64_t>(buffer)); });
    }
    if (field.number == 6) arguments_.set("submission_id", field.integer());
  }
  if (!buffers.empty()) arguments_.set("command_buffers", std::move(buffers));
  Nanos end = 0;
  if (__builtin_add_overflow(event.time, duration, &end)) end = INT64_MAX;
  has_submits_ = true;
  sink_.slice({}, "vkQueueSubmit", kSubmitThread, event.time, end);
  sink_.arguments();
  arguments_.write(sink_);
  sink_.end();
}

void GpuWorkWriter::finish(std::span<const std::pair<std::uint64_t, ArrowEnd>> waiting, ArrowWriter& arrows) {
  std::optional<std::int64_t> named;
  for (const auto& [id, queue] : queues_) {
    if (named != id.first) sink_.label_process(id.first, fmt::format("GPU {}", id.first));
    named = id.first;
    sink_.name_thread({id.first, id.second}, queue.name);
    sink_.describe_thread({id.first, id.second},
                          std::array{std::pair<std::string_view, std::string_view>("description", queue.description)});
  }
  if (has_log_) sink_.name_thread(kLogThread, "GPU Log");
  if (has_submits_) sink_.name_thread(kSubmitThread, "Vulkan Events");
  waiting_.insert(waiting_.end(), waiting.begin(), waiting.end());
  for (const auto& [id, here] : waiting_) {
    if (const auto from = awaited_.find(id); from != awaited_.end()) arrows.write("gpu_wait", from->second, here);
  }
}

}  // namespace lacuna
