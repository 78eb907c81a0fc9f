#include "model/causes/dead_windows.h"

#include "tests/causes/causes_support.h"

using namespace lacuna;

TEST_CASE("from an annotation's start to its first child, and to its first kernel, wherever it stands") {
  for (const Nanos at : {Nanos{0}, 700 * kUs}) {
    TraceMaker make;
    make.thread("forward", at, at + 1000 * kUs, "user_annotation")
        .thread("torch/autograd/profiler.py(750): __enter__", at + 1 * kUs, at + 3 * kUs, "python_function")
        .thread("aten::mm", at + 40 * kUs, at + 80 * kUs)
        .launch("cudaLaunchKernel", at + 60 * kUs, at + 70 * kUs, 1)
        .kernel("gemm", at + 90 * kUs, at + 200 * kUs, 1);
    const Trace trace = make.build();
    const auto groups = find_dead_windows(trace);
    REQUIRE(groups.size() == 1);
    const DeadWindow& window = groups[0].instances[0];
    CHECK(window.dead == 40 * kUs);
    CHECK(window.first_child == slice_named(trace, "aten::mm"));
    CHECK(window.dead_on_gpu == 90 * kUs);
    CHECK(window.first_activity == slice_named(trace, "gemm"));
    CHECK_FALSE(window.is_outlier);
  }
}

TEST_CASE("an annotation inside another one is its child; one around it is not") {
  TraceMaker make;
  make.thread("outer", 0, 100, "user_annotation").thread("inner", 0, 50, "user_annotation").thread("aten::add", 10, 20);
  const Trace trace = make.build();
  const auto groups = find_dead_windows(trace);
  REQUIRE(groups.size() == 2);
  for (const DeadWindowGroup& group : groups) CHECK(group.total == (trace.text(group.name) == "outer" ? 0 : 10));
}

TEST_CASE("an annotation without anything in it is dead throughout") {
  TraceMaker make;
  make.thread("empty", 0, 100, "user_annotation").thread("aten::add", 100, 120);
  const auto groups = find_dead_windows(make.build());
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].total == 100);
  CHECK_FALSE(groups[0].instances[0].first_child.valid());
  CHECK_FALSE(groups[0].instances[0].first_activity.valid());
}

TEST_CASE("the first step's 228 us against 5 us is an outlier; steps are one group") {
  TraceMaker make;
  const Nanos dead[] = {228 * kUs, 5 * kUs, 5 * kUs, 6 * kUs, 5 * kUs};
  for (int i = 0; i < 5; ++i) {
    const Nanos start = i * kMs;
    make.thread("ProfilerStep#" + std::to_string(i), start, start + kMs - 1, "user_annotation")
        .thread("aten::add", start + dead[i], start + dead[i] + 10);
  }
  const Trace trace = make.build();
  const auto groups = find_dead_windows(trace);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].is_step);
  CHECK(groups[0].median == 5 * kUs);
  CHECK(groups[0].longest == 228 * kUs);
  CHECK(groups[0].outliers == 1);
  CHECK(groups[0].instances[0].is_outlier);
  CHECK_FALSE(groups[0].instances[3].is_outlier);
}

TEST_CASE("steps of any kind are one group, by what marks them") {
  const auto groups = [](std::initializer_list<const char*> names, std::string pattern = {}) {
    TraceMaker make;
    Nanos start = 0;
    for (const char* name : names) {
      make.thread(name, start, start + kMs, "user_annotation").thread("aten::add", start + kUs, start + 2 * kUs);
      start += 2 * kMs;
    }
    Trace trace = make.build();
    trace.set_steps_from(std::move(pattern));
    std::string text;
    for (const DeadWindowGroup& group : find_dead_windows(trace))
      text += group.label(trace) + " " + std::to_string(group.instances.size()) + (group.is_step ? " steps; " : "; ");
    return text;
  };
  CHECK(groups({"ProfilerStep#1", "ProfilerStep#2"}) == "ProfilerStep#* 2 steps; ");
  CHECK(groups({"execute_context_1(9)_generation_0(0)", "execute_context_0(0)_generation_2(2)"}) ==
        "steps (engine annotation) 2 steps; ");
  CHECK(groups({"train 1", "train 2", "train 3"}) == "steps (numbered annotation) 3 steps; ");
  CHECK(groups({"fold 1", "fold 2", "other"}, "fold *") == "fold * 2 steps; other 1; ");
}

TEST_CASE("two instances have no outlier, nor have two habits, nor a few microseconds") {
  const auto outliers = [](std::vector<Nanos> dead) {
    TraceMaker make;
    Nanos start = 0;
    for (const Nanos d : dead) {
      make.thread("a", start, start + kMs, "user_annotation").thread("aten::add", start + d, start + d + 1);
      start += 2 * kMs;
    }
    return find_dead_windows(make.build())[0].outliers;
  };
  CHECK(outliers({1 * kUs, 500 * kUs}) == 0);
  CHECK(outliers({1 * kUs, 1 * kUs, 500 * kUs}) == 1);
  CHECK(outliers({1 * kUs, 1 * kUs, 1 * kUs, 20 * kUs}) == 0);
  CHECK(outliers({1 * kUs, 1 * kUs, 1 * kUs, 21 * kUs}) == 1);
  // Beyond the third quartile by more than three times what lies between the first and it.
  CHECK(outliers({100 * kUs, 100 * kUs, 110 * kUs, 120 * kUs, 180 * kUs + 2}) == 0);
  CHECK(outliers({100 * kUs, 100 * kUs, 110 * kUs, 120 * kUs, 180 * kUs + 3}) == 1);
  CHECK(outliers({1 * kUs, 1 * kUs, 2 * kUs, 500 * kUs, 510 * kUs, 490 * kUs}) == 0);
}
