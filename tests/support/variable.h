#pragma once

#include <cstdlib>
#include <string>

namespace lacuna {

/// Sets a variable of the environment; null: it is not set afterwards.
inline void set_variable(const std::string& name, const char* value) {
#if defined(_WIN32)
  ::_putenv_s(name.c_str(), value != nullptr ? value : "");
#else
  value != nullptr ? ::setenv(name.c_str(), value, 1) : ::unsetenv(name.c_str());
#endif
}

}  // namespace lacuna
