#include "app/cli/command_examples.h"

#include <utility>

namespace lacuna {
namespace {

// tests/cli/examples_test.py runs those that need no other program.
constexpr std::pair<std::string_view, std::string_view> kCommandExamples[] = {
    {"report",
     "  lacuna report trace.json.gz --brief\n"
     "  lacuna report trace.json.gz --html -o report.html\n"},
    {"gaps",
     "  lacuna gaps trace.json.gz --causes\n"
     "  lacuna gaps trace.json.gz --by-operator --limit 5\n"},
    {"stats",
     "  lacuna stats trace.json.gz --limit 20\n"
     "  lacuna stats trace.json.gz --table torch\n"},
    {"calls",
     "  lacuna calls trace.json.gz --by gpu --depth 4\n"
     "  lacuna calls trace.json.gz --bottom-up --min-percent 5\n"},
    {"critical-path",
     "  lacuna critical-path trace.json.gz\n"
     "  lacuna critical-path trace.json.gz --json\n"},
    {"what-if",
     "  lacuna what-if trace.json.gz\n"
     "  lacuna what-if trace.json.gz --no-cause sync\n"},
    {"roofline",
     "  lacuna roofline trace.json.gz\n"
     "  lacuna roofline trace.json.gz --csv\n"},
    {"requests",
     "  lacuna requests trace.json.gz --requests spans.json\n"
     "  lacuna requests trace.json.gz --requests spans.json --json\n"},
    {"memory",
     "  lacuna memory trace.json.gz\n"
     "  lacuna memory trace.json.gz --at peak --by phase\n"},
    {"info",
     "  lacuna info trace.json.gz\n"
     "  lacuna info trace.json.gz --json\n"},
    {"kernel",
     "  lacuna kernel ampere_sgemm_128x64_tn\n"
     "  lacuna kernel 'void at::native::vectorized_elementwise_kernel<4>()'\n"},
    {"query",
     "  lacuna query trace.json.gz 'SELECT name, sum(dur) FROM slice GROUP BY name ORDER BY 2 DESC LIMIT 5'\n"
     "  lacuna query --schema\n"},
    {"web",
     "  lacuna web trace.json.gz\n"
     "  lacuna web live -- python3 train.py\n"},
    {"diff",
     "  lacuna diff before.json after.json\n"
     "  lacuna diff before.json after.json --limit 5\n"},
    {"check",
     "  lacuna check before.json after.json\n"
     "  lacuna check before.json after.json --fail-on 'step>3%'\n"},
    {"job",
     "  lacuna job ranks/\n"
     "  lacuna job rank0.json rank1.json --json\n"},
    {"digest",
     "  lacuna digest rank0.json -o rank0.digest\n"
     "  lacuna digest rank1.json -o rank1.digest\n"},
    {"record",
     "  lacuna record -o out.json.gz -- python3 train.py\n"
     "  lacuna record --duration 30 -- python3 serve.py\n"},
    {"live",
     "  lacuna live -- python3 train.py\n"
     "  lacuna live --keep-seconds 60 -- ./program\n"},
    {"attach",
     "  lacuna attach 4711 -o out.json.gz\n"
     "  lacuna attach train-4711\n"},
    {"bundle",
     "  lacuna bundle trace.json.gz -o gap.lacuna\n"
     "  lacuna bundle trace.json.gz -o scrubbed.lacuna --scrub\n"},
    {"notes",
     "  lacuna notes trace.json.gz\n"
     "  lacuna notes trace.json.gz --export notes.json\n"},
    {"export",
     "  lacuna export trace.json.gz --arrow tables/\n"
     "  lacuna export trace.json.gz --arrow some/ --tables slices,gaps\n"},
    {"cut",
     "  lacuna cut trace.json.gz -o step.json.gz --steps 3..4\n"
     "  lacuna cut trace.json.gz -o stream.json.gz --stream 0:7\n"},
    {"screenshot",
     "  lacuna screenshot trace.json.gz -o a.png\n"
     "  lacuna screenshot trace.json.gz -o b.png --panel report --light\n"},
    {"schema",
     "  lacuna schema gaps\n"
     "  lacuna schema gaps --explain\n"},
};

}  // namespace

std::string_view command_examples(std::string_view command) {
  for (const auto& [name, lines] : kCommandExamples)
    if (name == command) return lines;
  return {};
}

}  // namespace lacuna
