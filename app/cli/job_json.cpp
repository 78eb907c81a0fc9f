#include <optional>
#include <string>

#include "app/cli/job.h"
#include "app/cli/json_writer.h"
#include "model/job/bus_bandwidth.h"

namespace lacuna {
namespace {

Json step_json(const std::optional<std::int64_t>& step) {
  return step ? Json(*step) : Json();
}

Json rank_json(std::int64_t rank) {
  return rank < 0 ? Json() : Json(rank);
}

void write_collectives(const Job& job, Output& out, JsonWriter& json) {
  json.begin_list("collectives");
  for (const JobCollective& c : job.collectives) {
    if (!out.ok()) return;
    Json ranks = Json::array(), waits = Json::object();
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
      const JobPart& part = job.parts[p];
      ranks.push_back(job.ranks[part.rank].rank);
      waits.push_back({std::to_string(job.ranks[part.rank].rank), part.wait});
    }
    const JobPart& last = job.last_of(c);
    const CollectivePart& said = job.part_of(last);
    const JobRank& rank = job.ranks[last.rank];
    const JobGroup& group = job.groups[c.group];
    const std::optional<double> bandwidth = bus_bandwidth(job, c);
    json.element({{"name", job.name_of(c)},
                  {"group", group.title()},
                  {"step", step_json(c.step)},
                  {"ranks", std::move(ranks)},
                  {"lastRank", rank.rank},
                  {"lateNs", c.late},
                  {"waitNs", std::move(waits)},
                  {"transferNs", c.transfer},
                  {"groupName", group.name},
                  {"kernel", rank.texts[said.kernel]},
                  {"startNs", last.start},
                  {"elements", said.in_elements < 0 ? Json() : Json(said.in_elements)},
                  {"dtype", rank.texts[said.dtype]},
                  {"busGBs", bandwidth ? Json(*bandwidth) : Json()}});
  }
  json.end();
}

void write_stragglers(const Job& job, JsonWriter& json) {
  json.begin_list("stragglers");
  for (const Straggler& s : job.stragglers) {
    Json steps = Json::array(), evidence = Json::array();
    for (const std::uint32_t step : s.steps) steps.push_back(step_json(job.steps[step]));
    for (const JobPlace& place : s.evidence)
      evidence.push_back({{"what", place.what},
                          {"rank", place.rank},
                          {"step", step_json(place.step)},
                          {"file", job.ranks[s.rank].file},
                          {"startNs", place.start},
                          {"durationNs", place.duration}});
    json.element({{"rank", job.ranks[s.rank].rank},
                  {"steps", std::move(steps)},
                  {"lostNs", s.lost},
                  {"cause", s.sentence},
                  {"causeName", late_cause_name(s.cause)},
                  {"delayNs", s.delay},
                  {"evidence", std::move(evidence)}});
  }
  json.end();
}

}  // namespace

void write_job_json(const Job& job, Output& out) {
  JsonWriter json(out);
  Json ranks = Json::array(), steps = Json::array();
  for (const JobRank& rank : job.ranks) ranks.push_back(rank.rank);
  for (const auto& step : job.steps) steps.push_back(step_json(step));
  json.member("ranks", ranks);
  json.member("worldSize", job.world_size ? Json(*job.world_size) : Json());
  json.member("steps", steps);
  json.begin_list("clocks");
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    json.element({{"rank", job.ranks[r].rank},
                  {"offsetNs", static_cast<std::int64_t>(job.clocks[r].offset_ns)},
                  {"driftPpm", job.clocks[r].drift_ppm},
                  {"residualNs", static_cast<std::int64_t>(job.clocks[r].residual_ns)},
                  {"samples", job.clocks[r].samples}});
  json.end();
  write_collectives(job, out, json);
  Json waited = Json::object(), lost = Json::object();
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const std::string rank = std::to_string(job.ranks[r].rank);
    Nanos sum = 0;
    for (std::size_t s = 0; s < job.steps.size(); ++s) sum = saturating_add(sum, job.cell(r, s).lost);
    waited.push_back({rank, job.waited[r]});
    lost.push_back({rank, sum});
  }
  json.member("waitedNs", waited);
  json.member("lostNs", lost);
  write_stragglers(job, json);
  json.member("unmatched", job.unmatched);
  json.member("missing", job.missing);
  json.begin_list("problems");
  for (const JobProblem& problem : job.problems)
    json.element({{"kind", problem_key(problem.kind)},
                  {"rank", rank_json(problem.rank)},
                  {"file", problem.file},
                  {"text", problem.text}});
  json.end();
  write_job_tables_json(job, json, out);
  json.finish();
}

}  // namespace lacuna
