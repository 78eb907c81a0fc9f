#pragma once
// A mutator that knows some JSON: besides libFuzzer's own byte mutations it changes whole values (json_pieces.h).
// Include it in one file of a target.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "tests/fuzz/json_pieces.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (unsigned i = 0, rounds = 1 + random() % 4; i < rounds && text.size() <= most; ++i)
    text = lacuna::fuzz::mutate_pieces(text, random);
  if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
