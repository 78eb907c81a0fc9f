// ProcessDecoder: what is told of PyTorch's operators, and of the process and its threads.

#include <fmt/format.h>

#include "capture/session/gpu_decoder.h"
#include "capture/session/json_check.h"
#include "capture/session/process_decoder.h"

namespace lacuna {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
constexpr std::size_t kMostThreadNames = std::size_t{1} << 20;
/// Processes of a rank, then its GPUs, then those of the next rank.
constexpr std::int64_t kPlacesOfRank = 4096;
constexpr std::int64_t kFirstGpuPlace = 2048;
/// Where torch.profiler sorts the first GPU: behind all pids.
constexpr std::int64_t kFirstGpuIndex = 5'000'000;

}  // namespace

void ProcessDecoder::start_operator(ThreadLanes& thread, OpenRange range) {
  OperatorFacts& facts = range.facts;
  facts.external_id = (std::uint64_t{identity_.index} << 32) + ++next_external_id_;
  const std::uint16_t domain = range.head.domain;
  const OperatorFacts own = facts;
  const StreamedTrack place = track(thread);
  const Nanos start = range.start;
  thread.push(std::move(range), lost_ends_);
  if (OpenRange* parent = thread.innermost(domain, 1); parent != nullptr && parent->is_known) {
    // The engine's call and the function in it are one step of the backward pass: torch.profiler gives the call the
    // numbers of the function, whose arrow it is.
    if (own.scope == wire::OperatorScope::kBackward && !parent->facts.has_children &&
        parent->facts.scope == wire::OperatorScope::kFunction && names_.get(parent->head.name).starts_with(kEvaluate)) {
      parent->facts.sequence = own.sequence;
      parent->facts.forward_thread = own.forward_thread;
    }
    parent->facts.has_children = true;
  }
  if (own.sequence == ~std::uint64_t{0}) return;
  if (own.forward_thread == 0) {
    forward_links_.forward(thread.torch_thread, own.sequence, place, start);
  } else {
    forward_links_.backward(own.forward_thread, own.sequence, place, start);
  }
}

void ProcessDecoder::describe_operator(const OperatorFacts& facts) {
  args_.number("External id", facts.external_id);
  if (facts.sequence != ~std::uint64_t{0}) {
    args_.number("Sequence number", facts.sequence);
    args_.number("Fwd thread id", facts.forward_thread);
  }
  if (!names_.has(facts.inputs)) return;
  const auto [checked, is_new] = is_json_.try_emplace(facts.inputs, false);
  if (is_new && !(checked->second = is_json_members(names_.get(facts.inputs)))) ++counts_.corrupt;
  if (checked->second) args_.members(names_.get(facts.inputs));
}

void ProcessDecoder::set_rank(const wire::RankRecord& record) {
  if (record.rank < 0) return;
  rank_.rank = record.rank;
  if (record.local_rank >= 0) rank_.local_rank = record.local_rank;
  if (record.world_size > 0) rank_.world_size = record.world_size;
  if (names_.has(record.head.name)) {
    const std::string_view facts = names_.get(record.head.name);
    if (is_json_members(facts)) {
      rank_.facts = facts;
    } else {
      ++counts_.corrupt;
    }
  }
  tell_process();
}

std::int64_t place_of_gpu(std::int64_t rank, std::uint32_t device) {
  return rank * kPlacesOfRank + kFirstGpuPlace + device % kFirstGpuPlace;
}

void ProcessDecoder::tell_process() {
  tell_process(identity_.pid, std::nullopt);
  gpu_->tell_processes();
}

void ProcessDecoder::tell_process(std::uint32_t pid, std::optional<std::uint32_t> device) {
  using What = StreamedName::What;
  const auto tell = [&](What what, std::string_view text) { sink_.add(StreamedName{what, pid, 0, text}); };
  const std::string_view given = names_.get(given_name_);
  tell(What::kProcess, given.empty() ? identity_.name : fmt::format("{} · {}", identity_.name, given));
  std::int64_t order = device ? kFirstGpuIndex + *device : std::int64_t{pid};
  if (rank_.rank >= 0) {
    tell(What::kProcessRank, fmt::format("{}", rank_.rank));
    order = device ? place_of_gpu(rank_.rank, *device)
                   : rank_.rank * kPlacesOfRank + std::int64_t{identity_.index} % kFirstGpuPlace;
  }
  tell(What::kProcessSortIndex, fmt::format("{}", order));
}

void ProcessDecoder::name_thread(std::uint32_t tid, std::uint32_t name) {
  if (thread_names_.size() < kMostThreadNames || thread_names_.contains(tid)) thread_names_[tid] = name;
  if (threads_.contains(tid)) tell_thread(tid, names_.get(name));
}

void ProcessDecoder::tell_thread(std::uint32_t tid, std::string_view name) {
  sink_.add(StreamedName{StreamedName::What::kThread, identity_.pid, tid, name});
}

}  // namespace lacuna
