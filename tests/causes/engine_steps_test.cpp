#include "model/trace/engine_steps.h"

#include <string>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

TEST_CASE("steps of inference servers: phase, requests, tokens") {
  struct Named {
    const char* name;
    const char* phase;
    int batch_size, tokens;
  };
  for (const Named& one : {
           Named{"execute_context_2(14721)_generation_0(0)", "prefill", 2, 14721},
           Named{"execute_context_0(0)_generation_8(8)", "decode", 8, 8},
           Named{"execute_context_1(512)_generation_8(8)", "mixed", 9, 520},
           Named{"execute_context_0(0)_generation_0(0)", "idle", 0, 0},
           Named{"execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sqsq3sqsk6144)",
                 "mixed", 5, 6147},
           Named{"step[EXTEND bs=2 toks=14721]", "prefill", 2, 14721},
           Named{"step[DECODE bs=64]", "decode", 64, 64},
           Named{"step[MIXED bs=2 c=1 g=1 toks=300]", "mixed", 2, 300},
           Named{"prefill[bs=2 tok=4096 ctx=[1024,3072]]", "prefill", 2, 4096},
           Named{"decode[bs=117/128 tok=117 d=117]", "decode", 117, 117},
           Named{"execute_diffusion_1_1024x1024", "", 1, 0},
       }) {
    CAPTURE(one.name);
    const auto step = parse_engine_step(one.name);
    REQUIRE(step.has_value());
    CHECK(std::string(step->phase ? step_phase_key(*step->phase) : "") == one.phase);
    CHECK(step->batch_size == one.batch_size);
    CHECK(step->tokens == one.tokens);
  }
}

TEST_CASE("steps of inference servers: what requests attend to") {
  const auto vllm = parse_engine_step(
      "execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6145sqsq5sqsk6146)");
  REQUIRE(vllm.has_value());
  REQUIRE(vllm->attention.has_value());
  CHECK(vllm->attention->context.q == 6144);
  CHECK(vllm->attention->context.k == 7144);
  CHECK(vllm->attention->context.qq == 20971520);
  CHECK(vllm->attention->context.qk == 23019520);
  CHECK(vllm->attention->generation.q == 3);
  CHECK(vllm->attention->generation.k == 6145);
  CHECK(vllm->attention->generation.qq == 5);
  CHECK(vllm->attention->generation.qk == 6146);
  const auto sglang = parse_engine_step("step[DECODE bs=64 g_sq=64 g_sk=9000 g_sqsq=65 g_sqsk=9001]");
  REQUIRE(sglang.has_value());
  REQUIRE(sglang->attention.has_value());
  CHECK(sglang->attention->generation.q == 64);
  CHECK(sglang->attention->generation.qk == 9001);
  CHECK(sglang->attention->context.q == 0);
  const auto atom = parse_engine_step("prefill[bs=2 tok=40 sk=50 sqsq=800 sqsk=900]");
  REQUIRE(atom.has_value());
  REQUIRE(atom->attention.has_value());
  CHECK(atom->attention->context.q == 40);
  CHECK(atom->attention->context.qk == 900);
  CHECK_FALSE(parse_engine_step("step[DECODE bs=64]")->attention.has_value());
  const auto squares = parse_engine_step("execute_context_1(888_788544)_generation_0(0)");
  REQUIRE(squares.has_value());
  REQUIRE(squares->attention.has_value());
  CHECK(squares->tokens == 888);
  CHECK(squares->attention->context.qk == 788544);
  CHECK_FALSE(parse_engine_step("execute_context_1(888_788544)_generation_3(3)")->attention.has_value());
}

TEST_CASE("steps of inference servers: other names are none") {
  for (const char* name : {"",
                           "execute_",
                           "execute_context_",
                           "execute_context_2",
                           "execute_context_2()_generation_0(0)",
                           "execute_context_2(1)_generation_0(0",

                           "execute_context_-2(1)_generation_0(0)",
                           "execute_context_99999999999999999999(1)_generation_0(0)",
                           "execute_6_context_2(sq1sk2sqsq3)_generation_0(sq0sk0sqsq0sqsk0)",
                           "step[",
                           "step[]",
                           "step[OTHER bs=2]",
                           "step[DECODE]",
                           "step[DECODE bs=x]",
                           "step[DECODE xbs=2]",
                           "prefill[]",
                           "decode[tok=3]",
                           "prefill",
                           "ProfilerStep#3",
                           "execute_diffusion_1"}) {
    CAPTURE(std::string(name));
    CHECK_FALSE(parse_engine_step(name).has_value());
  }
}

}  // namespace
}  // namespace lacuna
