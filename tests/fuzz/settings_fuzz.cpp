// The window's settings, as a hand or another version might have written them.
#include <string>

#include "app/gui/application/settings.h"
#include "app/gui/models/live/launch_form.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const lacuna::Settings settings = lacuna::parse_settings(text);
  const std::string written = lacuna::format_settings(settings);
  lacuna::fuzz::require(lacuna::parse_settings(written) == settings, "settings come back as they were written");
  lacuna::fuzz::require(settings.ui_scale >= 0.5f && settings.ui_scale <= 3.0f, "numbers stay within their bounds");
  for (const lacuna::LaunchForm& form : settings.launches) (void)lacuna::plan_of(form);
  return 0;
}
