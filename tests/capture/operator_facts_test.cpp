// What the decoder makes of PyTorch's operators, and of the names and ranks that a process tells.
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "capture/session/forward_links.h"
#include "capture/session/json_check.h"
#include "tests/capture/described_process.h"

using namespace lacuna;

namespace {

struct Heard : EventSink {
  std::vector<std::tuple<Nanos, Nanos, std::uint64_t>> arrows;
  std::map<std::string, std::string> args;  // by the slice's name; the last counts
  std::vector<std::string> names;
  void add(const StreamedSlice& s) override { args[std::string(s.name)] = s.args; }
  void add(const StreamedInstant&) override {}
  void add(const StreamedAsync&) override {}
  void add(const StreamedFlow& f) override {
    CHECK(f.category == kForwardBackward);
    arrows.emplace_back(f.from_time, f.to_time, f.id);
  }
  void add(const StreamedName& n) override {
    names.push_back(std::to_string(static_cast<int>(n.what)) + " " + std::to_string(n.tid) + " " + std::string(n.name));
  }
  void add(const StreamedDevice&) override {}
};

struct TorchTarget : DescribedProcess<Heard> {
  TorchTarget() : DescribedProcess({{1'000, 1'000, 0}, {2'000, 2'000, 0}}) {}

  void thread(std::uint64_t ring, std::uint32_t tid, std::uint32_t torch_number) {
    wire::ThreadRecord record;
    record.head.type = wire::RecordType::kThread;
    record.tid = tid;
    put(record, ring);
    wire::RecordHead head;
    head.type = wire::RecordType::kTorchThread;
    head.name = torch_number;
    put(head, ring);
  }
  void push(std::uint64_t ring, std::string_view name, std::uint64_t time, std::uint8_t depth,
            wire::OperatorScope scope = wire::OperatorScope::kFunction, std::uint64_t sequence = ~0ull,
            std::uint32_t forward = 0, std::string_view inputs = {}) {
    wire::OperatorRecord record;
    record.head.type = wire::RecordType::kOperator;
    record.head.domain = wire::kTorchDomain;
    record.head.name = text(name);
    record.head.time = time;
    record.head.depth = depth;
    record.sequence = sequence;
    record.scope_and_forward = static_cast<std::uint32_t>(scope) | forward << 8;
    if (!inputs.empty()) record.inputs = text(inputs);
    put(record, ring);
  }
  void pop(std::uint64_t ring, std::uint64_t time, std::uint8_t depth) {
    wire::RecordHead head;
    head.type = wire::RecordType::kPop;
    head.domain = wire::kTorchDomain;
    head.time = time;
    head.depth = depth;
    put(head, ring);
  }
};

constexpr std::uint64_t kForwardRing = wire::kFirstThreadRing, kBackwardRing = wire::kFirstThreadRing + 1;

}  // namespace

TEST_CASE("operators: the engine's call has the numbers of the function in it, which has the arrow") {
  TorchTarget target;
  using Scope = wire::OperatorScope;
  target.thread(kForwardRing, 4711, 1);
  target.thread(kBackwardRing, 4712, 2);
  target.push(kForwardRing, "aten::linear", 10'000, 0, Scope::kFunction, 5, 0, R"("Input Dims":[[2, 3], []])");
  target.push(kForwardRing, "aten::addmm", 11'000, 1, Scope::kFunction, 5);
  target.pop(kForwardRing, 12'000, 1);
  target.pop(kForwardRing, 13'000, 0);
  target.push(kBackwardRing, "autograd::engine::evaluate_function: AddmmBackward0", 20'000, 0);
  target.push(kBackwardRing, "AddmmBackward0", 21'000, 1, Scope::kBackward, 5, 1);
  target.push(kBackwardRing, "aten::mm", 22'000, 2);
  target.pop(kBackwardRing, 23'000, 2);
  target.pop(kBackwardRing, 24'000, 1);
  target.pop(kBackwardRing, 25'000, 0);
  target.decoder.end_round();
  // To the function, once, from the forward operator that began last.
  REQUIRE(target.sink.arrows.size() == 1);
  CHECK(std::get<1>(target.sink.arrows[0]) - std::get<0>(target.sink.arrows[0]) == 10'000);
  CHECK(target.sink.args["aten::linear"] ==
        R"("External id":1,"Sequence number":5,"Fwd thread id":0,"Input Dims":[[2, 3], []])");
  CHECK(target.sink.args["AddmmBackward0"] == R"("External id":4,"Sequence number":5,"Fwd thread id":1)");
  CHECK(target.sink.args["autograd::engine::evaluate_function: AddmmBackward0"] ==
        R"("External id":3,"Sequence number":5,"Fwd thread id":1)");
  CHECK(target.sink.args["aten::mm"] == R"("External id":5)");
}

TEST_CASE("operators: what a target calls inputs is in the file only when it is JSON") {
  TorchTarget target;
  target.thread(kForwardRing, 4711, 1);
  target.push(kForwardRing, "bad", 10'000, 0, wire::OperatorScope::kFunction, ~0ull, 0, R"("a":1},{"b":2)");
  target.pop(kForwardRing, 11'000, 0);
  CHECK(target.sink.args["bad"] == R"("External id":1)");
  CHECK(target.decoder.counts().corrupt == 1);
  for (const char* good :
       {"", " ", R"("a":1)", R"("a" : [1, -2.5e3, [true, null]], "b":{"c\u00e9\\":"d"})", "\"\xc3\xa9\":[]"})
    CHECK_MESSAGE(is_json_members(good), good);
  for (const char* bad :
       {"a", "\"a\"", "\"a\":", "\"a\":1,", "\"a\":1 \"b\":2", "\"a\":[1,]", "\"a\":[1", "\"a\":01", "\"a\":\"\n\"",
        "\"a\":\"\\x\"", "\"a\":\"\xff\"", "\"a\":nul", "\"a\":1}", "\"a\":1],[", "\"a\":\"\\u12g4\""})
    CHECK_FALSE_MESSAGE(is_json_members(bad), bad);
  CHECK_FALSE(is_json_members("\"a\":" + std::string(1000, '[') + std::string(1000, ']')));
}

TEST_CASE("forward links: another thread's ring may be read later; each forward operator is joined once") {
  Heard sink;
  ForwardLinks links(3, sink);
  const StreamedTrack a{1, 1}, b{1, 2};
  links.backward(1, 7, b, 500);
  CHECK(sink.arrows.empty());
  links.forward(1, 7, a, 100);
  links.settle();
  REQUIRE(sink.arrows.size() == 1);
  CHECK(sink.arrows[0] == std::tuple<Nanos, Nanos, std::uint64_t>(100, 500, (std::uint64_t{3} << 40) + 1));
  links.backward(1, 7, b, 600);  // its forward operator is taken
  links.settle();
  links.settle();
  links.forward(1, 7, a, 550);  // too late: it was given up
  links.settle();
  CHECK(sink.arrows.size() == 1);
  // Many that are not asked for yet, of which none is lost.
  for (std::uint64_t i = 0; i < 10'000; ++i) links.forward(2, i, a, static_cast<Nanos>(i));
  for (std::uint64_t i = 10'000; i-- > 0;) links.backward(2, i, b, 20'000);
  CHECK(sink.arrows.size() == 10'001);
}

TEST_CASE("ranks and names: told for the process, and for threads once they do something") {
  TorchTarget target;
  const auto number = [&](wire::RecordType type, std::uint64_t value, std::string_view text) {
    wire::NumberRecord record;
    record.head.type = type;
    record.head.name = target.text(text);
    record.number = value;
    target.put(record, wire::kControlRing);
  };
  number(wire::RecordType::kThreadName, 4800, "loader");
  target.sink.names.clear();
  target.thread(kForwardRing, 4800, 1);
  CHECK(target.sink.names == std::vector<std::string>{"2 4800 loader", "4 4800 4800"});
  target.sink.names.clear();
  number(wire::RecordType::kProcessName, 0, "DataLoader worker 1");
  wire::RankRecord record;
  record.head.type = wire::RecordType::kRank;
  record.head.name = target.text(R"("backend":"gloo")");
  record.rank = 3;
  record.world_size = 8;
  target.put(record, wire::kControlRing);
  CHECK(target.sink.names == std::vector<std::string>{"0 0 target · DataLoader worker 1", "3 0 4711",
                                                      "0 0 target · DataLoader worker 1", "5 0 3", "3 0 12288"});
  CHECK(target.decoder.rank().facts == R"("backend":"gloo")");
  record.head.name = target.text(R"("backend":"gloo"}])");
  target.put(record, wire::kControlRing);
  CHECK(target.decoder.rank().facts == R"("backend":"gloo")");
  CHECK(target.decoder.counts().corrupt == 1);
}
