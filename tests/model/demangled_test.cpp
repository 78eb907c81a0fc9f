#include "model/base/demangled.h"

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("names of C++ are readable, others are told apart") {
  CHECK(demangled("_Z1fv") == "f()");
  CHECK(demangled("_ZNSt6vectorIiSaIiEE9push_backEOi") == "std::vector<int, std::allocator<int> >::push_back(int&&)");
  CHECK(demangled("i") == "int");
  CHECK(!demangled("main"));
  CHECK(!demangled("_Zq"));
  CHECK(!demangled(""));
}
