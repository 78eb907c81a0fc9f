// What Python prints for the same numbers was looked up with Python 3.13.
#include "model/torch/torch_format.h"

#include <limits>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("times take the unit that fits, with three decimals") {
  CHECK(torch_time(0) == "0.000us");
  CHECK(torch_time(0.0004) == "0.000us");
  CHECK(torch_time(999.999) == "999.999us");
  CHECK(torch_time(999.9996) == "1000.000us");  // the unit is chosen before rounding
  CHECK(torch_time(1000) == "1.000ms");
  CHECK(torch_time(999999.9) == "1000.000ms");
  CHECK(torch_time(1e6) == "1.000s");
  CHECK(torch_time(1234567890.5) == "1234.568s");
}

TEST_CASE("negative times are always in us") {
  CHECK(torch_time(-0.5) == "-0.500us");
  CHECK(torch_time(-35646.123) == "-35646.123us");
  CHECK(torch_time(-0.0) == "-0.000us");
}

TEST_CASE("one unit for all") {
  CHECK(torch_time(1500, TorchTimeUnit::kMicroseconds) == "1500.000us");
  CHECK(torch_time(1500, TorchTimeUnit::kSeconds) == "0.002s");
  CHECK(torch_time(0.5, TorchTimeUnit::kMilliseconds) == "0.001ms");  // the double lies above the tie
  CHECK(torch_time(-1500, TorchTimeUnit::kMilliseconds) == "-1.500ms");
}

TEST_CASE("half of the last digit rounds as the double lies, exact ties to even") {
  CHECK(fixed_decimal(0.0005, 3) == "0.001");  // 0.00050000000000000001
  CHECK(fixed_decimal(2.0005, 3) == "2.001");  // 2.00050000000000016698
  CHECK(fixed_decimal(1.0005, 3) == "1.000");  // 1.00049999999999994493
  CHECK(fixed_decimal(0.125, 2) == "0.12");    // a tie
  CHECK(fixed_decimal(0.375, 2) == "0.38");    // a tie
  CHECK(fixed_decimal(1e22, 3) == "10000000000000000000000.000");
  CHECK(fixed_decimal(std::numeric_limits<double>::quiet_NaN(), 3) == "nan");
  CHECK(fixed_decimal(-std::numeric_limits<double>::infinity(), 3) == "-inf");
  CHECK(fixed_decimal(std::numeric_limits<double>::max(), 3).size() == 309 + 4);
}

TEST_CASE("shares are not limited to 100 % and NaN without a whole") {
  CHECK(torch_share(1, 3) == "33.33%");
  CHECK(torch_share(257.74, 100) == "257.74%");
  CHECK(torch_share(-4.71, 100) == "-4.71%");
  CHECK(torch_share(0, 0) == "NaN");
  CHECK(torch_share(0, 5) == "0.00%");
}

TEST_CASE("memory is in units of 1024") {
  CHECK(torch_memory(0) == "0 B");
  CHECK(torch_memory(1023) == "1023 B");
  CHECK(torch_memory(-1023) == "-1023 B");
  CHECK(torch_memory(1024) == "1.00 KB");
  CHECK(torch_memory(-1536) == "-1.50 KB");
  CHECK(torch_memory(1048575) == "1024.00 KB");  // the unit is chosen before rounding
  CHECK(torch_memory(1048576) == "1.00 MB");
  CHECK(torch_memory(std::int64_t{5} << 30) == "5.00 GB");
  CHECK(torch_memory(std::numeric_limits<std::int64_t>::min()) == "-8589934592.00 GB");
}

TEST_CASE("lengths and cuts are in code points") {
  CHECK(python_length("") == 0);
  CHECK(python_length("größe") == 5);
  CHECK(python_length("a\xff\xc3") == 3);         // not UTF-8: byte by byte
  CHECK(python_length("\xf0\x9f\x98\x80") == 1);  // an emoji
  CHECK(python_head("größe", 3) == "grö");
  CHECK(python_head("ab", 5) == "ab");
  CHECK(python_tail("größe", 3) == "öße");
  CHECK(python_tail("ab", 5) == "ab");
}

TEST_CASE("sums are compensated as in Python 3.12 and later") {
  PythonSum sum;
  double plain = 0;
  for (int i = 0; i < 10; ++i) {
    sum.add(0.1);
    plain += 0.1;
  }
  CHECK(plain == 0.9999999999999999);
  CHECK(sum.value() == 1.0);
  PythonSum cancelling;
  for (const double x : {1.0, 1e100, 1.0, -1e100}) cancelling.add(x);
  CHECK(cancelling.value() == 2.0);
  CHECK(PythonSum().value() == 0.0);
}
