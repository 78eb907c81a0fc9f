#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// One thing that live recording needs or can use, as found on this machine.
struct Checkup {
  enum class State { kGood, kNote, kMissing };
  State state = State::kGood;
  std::string subject;  ///< "CUPTI"
  std::string found;    ///< "API 130001 (CUDA 13.0), /usr/local/cuda/lib64/libcupti.so.13"
  std::string advice;   ///< what to do; empty where nothing is to be done
};

/// Looks at everything: collector, socket, NVIDIA driver, CUPTI, permissions, tracers that stand in
/// the way, compiler, Python and torch. A second or two (starts python3). For the command line and for the
/// launch dialog; any thread.
std::vector<Checkup> examine();

}  // namespace lacuna
