#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// The result of one check: something that live recording needs or can use on this machine.
struct Checkup {
  enum class State { kGood, kNote, kMissing };
  State state = State::kGood;
  std::string subject;  ///< "CUPTI"
  std::string found;    ///< "API 130001 (CUDA 13.0), /usr/local/cuda/lib64/libcupti.so.13"
  std::string advice;   ///< what the user should do; empty when nothing
};

/// Runs all checks: collector, socket, NVIDIA driver, CUPTI, permissions, interfering
/// tracers, compiler, Python and torch. Takes a second or two (starts python3). For the command line and the
/// launch dialog; any thread.
std::vector<Checkup> examine();

}  // namespace lacuna
