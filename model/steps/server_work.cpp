#include "model/steps/server_work.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/base/ascii.h"
#include "model/trace/engine_steps.h"

namespace lacuna {
namespace {

struct WorkWord {
  std::string_view word;
  ServerWork work;
  bool is_annotation = false;  // the name of too many functions
};

// Names of functions, files and annotations in vllm (v1/engine, v1/core, v1/worker, distributed/device_communicators),
// sglang (srt/managers, srt/layers/sampler.py, srt/entrypoints) and the servers of HTTP below them, of 2024 to 2026.
// The first that a name has as whole words counts: what a function does says more than the file that it stands in.
constexpr std::array kWorkWords{WorkWord{"recv_requests", ServerWork::kRequests},
                                WorkWord{"process_input_queue", ServerWork::kRequests},
                                WorkWord{"process_input_requests", ServerWork::kRequests},
                                WorkWord{"process_input_sockets", ServerWork::kRequests},
                                WorkWord{"maybe_sleep_on_idle", ServerWork::kRequests},
                                WorkWord{"idle_sleeper", ServerWork::kRequests},
                                WorkWord{"shm_broadcast", ServerWork::kOtherProcess},
                                WorkWord{"broadcast_pyobj", ServerWork::kOtherProcess},
                                WorkWord{"point_to_point_pyobj", ServerWork::kOtherProcess},
                                WorkWord{"collective_rpc", ServerWork::kOtherProcess},
                                WorkWord{"llm_engine step: get_output", ServerWork::kOtherProcess},
                                WorkWord{"detokenize", ServerWork::kDetokenising},
                                WorkWord{"detokenizer", ServerWork::kDetokenising},
                                WorkWord{"detokenizer_manager", ServerWork::kDetokenising},
                                WorkWord{"incremental_detokenizer", ServerWork::kDetokenising},
                                WorkWord{"output_processor", ServerWork::kDetokenising},
                                WorkWord{"process_outputs", ServerWork::kDetokenising},
                                WorkWord{"stream_output", ServerWork::kDetokenising},
                                WorkWord{"sample", ServerWork::kSampling},
                                WorkWord{"sample_tokens", ServerWork::kSampling},
                                WorkWord{"sampler", ServerWork::kSampling},
                                WorkWord{"rejection_sampler", ServerWork::kSampling},
                                WorkWord{"sampling_batch_info", ServerWork::kSampling},
                                WorkWord{"logits_processor", ServerWork::kSampling},
                                WorkWord{"bookkeep", ServerWork::kSampling},
                                WorkWord{"bookkeeping_sync", ServerWork::kSampling},
                                WorkWord{"uvicorn", ServerWork::kHttp},
                                WorkWord{"fastapi", ServerWork::kHttp},
                                WorkWord{"starlette", ServerWork::kHttp},
                                WorkWord{"aiohttp", ServerWork::kHttp},
                                WorkWord{"httptools", ServerWork::kHttp},
                                WorkWord{"api_server", ServerWork::kHttp},
                                WorkWord{"http_server", ServerWork::kHttp},
                                WorkWord{"execute_model", ServerWork::kStep},
                                WorkWord{"run_batch", ServerWork::kStep},
                                WorkWord{"run_batch_inner", ServerWork::kStep},
                                WorkWord{"forward_batch_generation", ServerWork::kStep},
                                WorkWord{"prepare_inputs", ServerWork::kStep},
                                WorkWord{"preprocess", ServerWork::kStep, true},
                                WorkWord{"forward", ServerWork::kStep, true},
                                WorkWord{"schedule", ServerWork::kScheduler},
                                WorkWord{"scheduler", ServerWork::kScheduler},
                                WorkWord{"schedule_batch", ServerWork::kScheduler},
                                WorkWord{"schedule_policy", ServerWork::kScheduler},
                                WorkWord{"scheduler_output_processor_mixin", ServerWork::kScheduler},
                                WorkWord{"get_next_batch_to_run", ServerWork::kScheduler},
                                WorkWord{"process_batch_result", ServerWork::kScheduler},
                                WorkWord{"update_from_output", ServerWork::kScheduler},
                                WorkWord{"kv_cache_manager", ServerWork::kScheduler},
                                WorkWord{"block_pool", ServerWork::kScheduler},
                                WorkWord{"radix_cache", ServerWork::kScheduler}};

bool is_word_character(char c) {
  return is_ascii_letter(c) || is_digit(c) || c == '_';
}

/// Underscores around a word, as of "_sample", are no part of it.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    std::size_t begin = at, end = at + word.size();
    while (begin > 0 && text[begin - 1] == '_') --begin;
    while (end < text.size() && text[end] == '_') ++end;
    if ((begin == 0 || !is_word_character(text[begin - 1])) && (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

std::optional<ServerWork> first_of(std::string_view text, bool is_annotation) {
  const auto found = std::ranges::find_if(
      kWorkWords, [&](const WorkWord& w) { return (is_annotation || !w.is_annotation) && has_word(text, w.word); });
  return found == kWorkWords.end() ? std::nullopt : std::optional(found->work);
}

}  // namespace

std::string_view server_work_name(ServerWork work) {
  constexpr std::array<std::string_view, kServerWorkCount> kNames{"scheduler",
                                                                  "sampling",
                                                                  "detokenising",
                                                                  "HTTP",
                                                                  "waiting for requests",
                                                                  "another process",
                                                                  "the previous step, whose GPU work had ended",
                                                                  "the step itself, before its first GPU work",
                                                                  "unknown"};
  return kNames[static_cast<std::size_t>(work)];
}

std::string_view server_work_key(ServerWork work) {
  constexpr std::array<std::string_view, kServerWorkCount> kKeys{"scheduler",  "sampling",   "detokenising",
                                                                 "http",       "requests",   "otherProcess",
                                                                 "stepBefore", "stepItself", "unknown"};
  return kKeys[static_cast<std::size_t>(work)];
}

std::optional<ServerWork> server_work_of(std::string_view name) {
  if (parse_engine_step(name)) return ServerWork::kStep;
  const std::string text = to_lower(name);
  constexpr std::string_view kBeforeFunction = "): ";
  const std::size_t function = text.find(kBeforeFunction);
  if (function == text.npos) return first_of(text, true);
  if (const auto work = first_of(std::string_view(text).substr(function + kBeforeFunction.size()), false)) return work;
  return first_of(std::string_view(text).substr(0, function), false);
}

}  // namespace lacuna
