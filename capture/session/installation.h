#pragma once

#include <string>

namespace lacuna {

/// Paths of the files of Lacuna that other programs use; empty = not found.
struct Installation {
  std::string collector;    ///< liblacuna_collector.so
  std::string python_hook;  ///< folder that holds our sitecustomize.py
  std::string demo;         ///< the demo workload
};

/// Looks next to the running program: in the build tree, and where `cmake --install` puts the files.
/// LACUNA_COLLECTOR_LIBRARY overrides the collector's path.
Installation find_installation();

}  // namespace lacuna
