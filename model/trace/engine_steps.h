#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lacuna {

/// The phase of the requests in a step of an inference server.
enum class StepPhase : std::uint8_t {
  kPrefill,  ///< all read their prompts
  kDecode,   ///< all generate, one or a few tokens each
  kMixed,    ///< some prefill, some decode
  kIdle,     ///< there were no requests
};

/// Sums over requests of one kind: q is their number of new tokens, k the number of tokens that they attend to.
struct AttentionSums {
  double q = 0, k = 0, qq = 0, qk = 0;
};

/// A step of an inference server, as described by the name of its annotation.
struct EngineStep {
  std::optional<StepPhase> phase;  ///< none: diffusion has no phases
  std::int64_t batch_size = 0;     ///< number of requests
  std::int64_t tokens = 0;         ///< new tokens of all requests; 0: not given
  /// Sums for prompts and for generation; none: the server does not give them.
  struct Attention {
    AttentionSums context, generation;
  };
  std::optional<Attention> attention;
};

/// Parses "execute_context_2(14721)_generation_0(0)", also with the squares of lengths, "(888_788544)", and
/// "execute_32_context_0(sq0sk0…)_generation_32(sq32sk…)" of vLLM, "step[DECODE bs=32 …]" of SGLang, "decode[bs=117/128
/// tok=117 …]" of ATOM, "execute_diffusion_1_1024x1024" of xDiT.
std::optional<EngineStep> parse_engine_step(std::string_view name);

/// Returns "prefill", "decode", "mixed" or "idle".
std::string_view step_phase_key(StepPhase phase);

}  // namespace lacuna
