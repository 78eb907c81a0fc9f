// View and notes of a stranger's finding, and what --scrub makes of any JSON. Its zip archive: archive_fuzz.cpp.
#include <string>

#include "app/cut/json_text.h"
#include "app/finding/finding_view.h"
#include "app/finding/notes.h"
#include "app/finding/scrub.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto parsed = parse_notes(text)) {
    fuzz::require(parsed->notes.size() <= kMostNotes, "notes are bounded");
    fuzz::require(parse_notes(format_notes(parsed->notes))->notes == parsed->notes,
                  "notes come back as they were written");
  }
  const FindingTimes times = finding_times(text);
  fuzz::require(!times.view || times.view->begin < times.view->end, "a view has a length");
  fuzz::require(finding_times(with_finding_times(text, times)).view == times.view,
                "times come back as they were written");
  Scrubber scrubber({"bob"});
  fuzz::require(is_json(scrubber.edit({}, text)), "what is scrubbed is JSON");
  (void)scrubber.words(text);
  (void)scrubber.name("kernel", text);
  (void)scrubber.name("python_function", text);
  return 0;
}
