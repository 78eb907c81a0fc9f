#pragma once

#include "capture/collector/cupti_abi.h"

namespace lacuna::cupti {

struct Library {
  void* handle = nullptr;
  Functions functions;
  std::uint32_t version = 0;
  char path[256] = {};
};

/// Finds libcupti and its calls: the copy that the target already has, else the one named by
/// LACUNA_CUPTI, else by name, .13 before .12, and in the folders of a CUDA toolkit. False when there
/// is none that can be used; `why` then says what was found, for people.
bool load_library(Library& library, char* why, std::size_t why_size);

/// "12.4" for an API version.
void describe_version(std::uint32_t version, char* text, std::size_t size);

}  // namespace lacuna::cupti
