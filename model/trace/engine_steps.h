#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lacuna {

/// What the requests of a step of an inference server were at.
enum class StepPhase : std::uint8_t {
  kPrefill,  ///< all read their prompts
  kDecode,   ///< all write, a token or a few each
  kMixed,    ///< some the one, some the other
  kIdle,     ///< there were none
};

/// Sums over requests of one kind, q their new tokens, k all that they attend to.
struct AttentionSums {
  double q = 0, k = 0, qq = 0, qk = 0;
};

/// A step of an inference server, as the name of its annotation says it.
struct EngineStep {
  std::optional<StepPhase> phase;  ///< none: diffusion, which has none
  std::int64_t batch_size = 0;     ///< requests
  std::int64_t tokens = 0;         ///< new ones, of all requests; 0: not said
  /// Of prompts and of generation; none: a server that does not say so much.
  struct Attention {
    AttentionSums context, generation;
  };
  std::optional<Attention> attention;
};

/// Reads "execute_context_2(14721)_generation_0(0)", also with the squares of lengths, "(888_788544)", and
/// "execute_32_context_0(sq0sk0…)_generation_32(sq32sk…)" of vLLM, "step[DECODE bs=32 …]" of SGLang, "decode[bs=117/128
/// tok=117 …]" of ATOM, "execute_diffusion_1_1024x1024" of xDiT.
std::optional<EngineStep> parse_engine_step(std::string_view name);

/// "prefill", "decode", "mixed", "idle".
std::string_view step_phase_key(StepPhase phase);

}  // namespace lacuna
