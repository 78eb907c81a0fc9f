#include "model/trace/engine_steps.h"

#include <charconv>
#include <string>

namespace lacuna {
namespace {

/// Reads a name from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool skip(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) return {};
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  std::optional<std::int64_t> number_after(std::string_view word) { return skip(word) ? number() : std::nullopt; }
  bool is_at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

/// "KEY=123" among words; the first number of "117/128".
std::optional<std::int64_t> value_of(std::string_view words, std::string_view key) {
  const std::string wanted = std::string(key) + "=";
  for (std::size_t at = 0; (at = words.find(wanted, at)) != words.npos; ++at) {
    if (at > 0 && words[at - 1] != ' ' && words[at - 1] != '[') continue;
    return Cursor(words.substr(at + wanted.size())).number();
  }
  return {};
}

StepPhase phase_of_step(std::int64_t context, std::int64_t generation) {
  if (context > 0) return generation > 0 ? StepPhase::kMixed : StepPhase::kPrefill;
  return generation > 0 ? StepPhase::kDecode : StepPhase::kIdle;
}

/// "sq6144sk7144sqsq20971520sqsk23019520"
std::optional<AttentionSums> read_sums(Cursor& cursor) {
  const auto q = cursor.number_after("sq"), k = cursor.number_after("sk"), qq = cursor.number_after("sqsq"),
             qk = cursor.number_after("sqsk");
  if (!q || !k || !qq || !qk) return {};
  return AttentionSums{static_cast<double>(*q), static_cast<double>(*k), static_cast<double>(*qq),
                       static_cast<double>(*qk)};
}

std::optional<EngineStep> vllm_step(std::string_view name) {
  Cursor cursor(name);
  if (!cursor.skip("execute_")) return {};
  const bool is_detailed = cursor.number() && cursor.skip("_");
  EngineStep step;
  const auto context = cursor.number_after("context_");
  if (!context || !cursor.skip("(")) return {};
  EngineStep::Attention attention;
  std::int64_t tokens = 0;
  const auto part = [&](AttentionSums& sums) {
    if (is_detailed) {
      const auto read = read_sums(cursor);
      if (!read) return false;
      sums = *read;
      tokens += static_cast<std::int64_t>(read->q);
      return true;
    }
    const auto count = cursor.number();
    tokens += count.value_or(0);
    if (count && cursor.skip("_")) {
      const auto squares = cursor.number();
      if (!squares) return false;
      const auto q = static_cast<double>(*count), qq = static_cast<double>(*squares);
      sums = {q, q, qq, qq};
    }
    return count.has_value();
  };
  if (!part(attention.context)) return {};
  const auto generation = cursor.number_after(")_generation_");
  if (!generation || !cursor.skip("(") || !part(attention.generation) || !cursor.skip(")")) return {};
  step.phase = phase_of_step(*context, *generation);
  step.batch_size = *context + *generation;
  step.tokens = tokens;
  // Squares of prompts alone say all where nothing is generated.
  if (is_detailed || (attention.context.qq > 0 && *generation == 0)) step.attention = attention;
  return step;
}

/// Sums as "c_sq=… c_sk=… c_sqsq=… c_sqsk=…"; `letter`: "c_" of prompts, "g_" of generation, or nothing.
AttentionSums named_sums(std::string_view words, const std::string& letter) {
  const auto value = [&](const char* key) { return static_cast<double>(value_of(words, letter + key).value_or(0)); };
  return {value("sq"), value("sk"), value("sqsq"), value("sqsk")};
}

std::optional<EngineStep> sglang_step(std::string_view name) {
  if (!name.starts_with("step[") || !name.ends_with(']')) return {};
  const std::string_view words = name.substr(5, name.size() - 6);
  const std::string_view mode = words.substr(0, words.find(' '));
  EngineStep step;
  if (mode == "EXTEND")
    step.phase = StepPhase::kPrefill;
  else if (mode == "DECODE")
    step.phase = StepPhase::kDecode;
  else if (mode == "MIXED")
    step.phase = StepPhase::kMixed;
  else
    return {};
  const auto batch_size = value_of(words, "bs");
  if (!batch_size) return {};
  step.batch_size = *batch_size;
  step.tokens = value_of(words, "toks").value_or(mode == "DECODE" ? *batch_size : 0);
  if (words.find("sqsq=") != words.npos)
    step.attention = EngineStep::Attention{named_sums(words, "c_"), named_sums(words, "g_")};
  return step;
}

std::optional<EngineStep> atom_step(std::string_view name) {
  const bool is_prefill = name.starts_with("prefill[");
  if ((!is_prefill && !name.starts_with("decode[")) || !name.ends_with(']')) return {};
  const std::string_view words = name.substr(name.find('['));
  const auto batch_size = value_of(words, "bs");
  if (!batch_size) return {};
  EngineStep step;
  step.phase = is_prefill ? StepPhase::kPrefill : StepPhase::kDecode;
  step.batch_size = *batch_size;
  step.tokens = value_of(words, "tok").value_or(0);
  if (value_of(words, "sqsq") && value_of(words, "sqsk")) {
    AttentionSums sums = named_sums(words, "");
    sums.q = static_cast<double>(step.tokens);
    step.attention.emplace();
    (is_prefill ? step.attention->context : step.attention->generation) = sums;
  }
  return step;
}

std::optional<EngineStep> diffusion_step(std::string_view name) {
  Cursor cursor(name);
  const auto batch_size = cursor.number_after("execute_diffusion_");
  if (!batch_size || !cursor.number_after("_") || !cursor.number_after("x")) return {};
  EngineStep step;
  step.batch_size = *batch_size;
  return step;
}

}  // namespace

std::optional<EngineStep> parse_engine_step(std::string_view name) {
  for (const auto read : {vllm_step, sglang_step, atom_step, diffusion_step})
    if (auto step = read(name)) return step;
  return {};
}

std::string_view step_phase_key(StepPhase phase) {
  constexpr std::string_view kPhases[] = {"prefill", "decode", "mixed", "idle"};
  return kPhases[static_cast<std::size_t>(phase)];
}

}  // namespace lacuna
