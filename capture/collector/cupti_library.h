#pragma once

#include "capture/collector/cupti_abi.h"

namespace lacuna::cupti {

struct Library {
  void* handle = nullptr;
  Functions functions;
  std::uint32_t version = 0;
  char path[256] = {};
};

/// Loads libcupti and looks up its functions: the copy that the target already has, else the one named by
/// LACUNA_CUPTI, else by name, .13 before .12, and in the folders of a CUDA toolkit. Returns false if none
/// can be used; `why` then tells the user what was found.
bool load_library(Library& library, char* why, std::size_t why_size);

/// Formats an API version: "12.4".
void describe_version(std::uint32_t version, char* text, std::size_t size);

}  // namespace lacuna::cupti
