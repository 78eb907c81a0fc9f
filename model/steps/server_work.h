#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lacuna {

/// What the host of an inference server is at.
enum class ServerWork : std::uint8_t {
  kScheduler,     ///< chooses what runs next, keeps the books of requests and of their memory
  kSampling,      ///< draws tokens from logits
  kDetokenising,  ///< makes text of tokens and hands it out
  kHttp,          ///< the server of HTTP in the same process
  kRequests,      ///< waits for requests, or takes them in
  kOtherProcess,  ///< waits for another process of the server
  kStepBefore,    ///< the step before goes on, although its GPU work is done
  kStep,          ///< the step itself: prepares its inputs and launches its first work
  kUnknown,       ///< neither frames nor annotations tell
};
inline constexpr std::size_t kServerWorkCount = static_cast<std::size_t>(ServerWork::kUnknown) + 1;

/// "scheduler", "the step itself, before its first work" …
std::string_view server_work_name(ServerWork work);
/// "scheduler", "stepItself" …
std::string_view server_work_key(ServerWork work);

/// What a Python frame ("vllm/v1/core/sched/scheduler.py(88): schedule") or an annotation ("gpu_model_runner: sample")
/// of vLLM, SGLang and servers like them is about, of any step kStep; nothing: its name does not tell.
std::optional<ServerWork> server_work_of(std::string_view name);

}  // namespace lacuna
