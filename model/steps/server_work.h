#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lacuna {

/// The kinds of work on the host of an inference server.
enum class ServerWork : std::uint8_t {
  kScheduler,     ///< selects what runs next, manages requests and their memory
  kSampling,      ///< draws tokens from logits
  kDetokenising,  ///< converts tokens to text and emits it
  kHttp,          ///< the HTTP server in the same process
  kRequests,      ///< waits for requests, or receives them
  kOtherProcess,  ///< waits for another process of the server
  kStepBefore,    ///< the previous step goes on, although its GPU work is done
  kStep,          ///< the step itself: prepares its inputs and launches its first work
  kUnknown,       ///< neither frames nor annotations tell
};
inline constexpr std::size_t kServerWorkCount = static_cast<std::size_t>(ServerWork::kUnknown) + 1;

/// The work's name: "scheduler", "the step itself, before its first work" …
std::string_view server_work_name(ServerWork work);
/// The work's key in JSON: "scheduler", "stepItself" …
std::string_view server_work_key(ServerWork work);

/// Classifies a Python frame ("vllm/v1/core/sched/scheduler.py(88): schedule") or annotation ("gpu_model_runner:
/// sample") of vLLM, SGLang and similar servers; any step is kStep; nothing: its name does not tell.
std::optional<ServerWork> server_work_of(std::string_view name);

}  // namespace lacuna
