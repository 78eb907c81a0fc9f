#include "model/formats/chrome/decimal.h"

#include <string>

#include <doctest/doctest.h>

using namespace lacuna;
using Status = DecimalTime::Status;

namespace {

struct Case {
  std::string_view text;
  Nanos value;
  Status status;
};

constexpr Case kCases[] = {
    // Integer microseconds.
    {"0", 0, Status::kExact},
    {"-0", 0, Status::kExact},
    {"1", 1000, Status::kExact},
    {"1661938466240491", 1661938466240491000, Status::kExact},
    {"-17", -17000, Status::kExact},
    {"0001", 1000, Status::kExact},
    // Three decimals: epoch times that no double holds.
    {"1712195495406752.797", 1712195495406752797, Status::kExact},
    {"1712195495406752.001", 1712195495406752001, Status::kExact},
    {"4883523171890.123", 4883523171890123, Status::kExact},
    {"0.001", 1, Status::kExact},
    {"-0.001", -1, Status::kExact},
    // One to three, zeros trimmed.
    {"53.09", 53090, Status::kExact},
    {"53.9", 53900, Status::kExact},
    {"53.", 53000, Status::kExact},
    {".5", 500, Status::kExact},
    // More: half to even at 1 ns.
    {"1.0000", 1000, Status::kExact},
    {"1.000500000", 1000, Status::kRounded},
    {"0.0005", 0, Status::kRounded},
    {"0.0015", 2, Status::kRounded},
    {"0.0025", 2, Status::kRounded},
    {"0.0035", 4, Status::kRounded},
    {"0.00250000000000001", 3, Status::kRounded},
    {"0.0024999999999999999", 2, Status::kRounded},
    {"-1.0005", -1000, Status::kRounded},
    {"-1.0015", -1002, Status::kRounded},
    {"19.94140625", 19941, Status::kRounded},
    {"1698292137871041.25", 1698292137871041250, Status::kExact},
    {"1.23456789012345678", 1235, Status::kRounded},
    {"0.00050000000000000000000000000000000000000000000000001", 1, Status::kRounded},
    {"12345678901234.5678901234567890123456789012345678901234567890", 12345678901234568, Status::kRounded},
    // Exponents.
    {"1e3", 1000000, Status::kExact},
    {"1E3", 1000000, Status::kExact},
    {"1e+3", 1000000, Status::kExact},
    {"1.5e3", 1500000, Status::kExact},
    {"1e-3", 1, Status::kExact},
    {"1e-4", 0, Status::kRounded},
    {"1.5e-3", 2, Status::kRounded},
    {"1.712195495406752797e15", 1712195495406752797, Status::kExact},
    {"1e-400", 0, Status::kRounded},
    {"0e999999999999999999999", 0, Status::kExact},
    {"17000000000000000000000000000000000000000000e-40", 1700000, Status::kExact},
    {"0.00000000000000000000000000000000000000000000017e46", 1700, Status::kExact},
    // As strings may have it.
    {" 7 ", 7000, Status::kExact},
    {"\t7\r\n", 7000, Status::kExact},
    {"+7", 7000, Status::kExact},
    {"-.5", -500, Status::kExact},
    // The range.
    {"4611686018427387.903", kLargestTime, Status::kExact},
    {"-4611686018427387.903", -kLargestTime, Status::kExact},
    {"4611686018427387.904", 0, Status::kInvalid},
    {"4611686018427387.9034", kLargestTime, Status::kRounded},
    {"4611686018427387.9036", 0, Status::kInvalid},
    {"9223372036854775807", 0, Status::kInvalid},
    {"18446744073709551616000", 0, Status::kInvalid},
    {"18446744073709552", 0, Status::kInvalid},  // 384 ns beyond what 64 bits hold
    {"18446744073709552.000", 0, Status::kInvalid},
    {"00000000000000123.456", 123456, Status::kExact},  // 17 digits
    {"1e16", 0, Status::kInvalid},
    {"1e400", 0, Status::kInvalid},
    {"1e99999999999999999999999", 0, Status::kInvalid},
    {"1e18446744073709551616", 0, Status::kInvalid},  // an exponent of 2^64
    // Not numbers.
    {"", 0, Status::kInvalid},
    {" ", 0, Status::kInvalid},
    {"-", 0, Status::kInvalid},
    {".", 0, Status::kInvalid},
    {"1e", 0, Status::kInvalid},
    {"1e+", 0, Status::kInvalid},
    {"e5", 0, Status::kInvalid},
    {"1.2.3", 0, Status::kInvalid},
    {"1 2", 0, Status::kInvalid},
    {"--1", 0, Status::kInvalid},
    {"0x10", 0, Status::kInvalid},
    {"12a", 0, Status::kInvalid},
    {"NaN", 0, Status::kInvalid},
    {"Infinity", 0, Status::kInvalid},
    {"null", 0, Status::kInvalid},
    {"true", 0, Status::kInvalid},
};

}  // namespace

TEST_CASE("microseconds become nanoseconds exactly") {
  for (const Case& c : kCases) {
    CAPTURE(c.text);
    const DecimalTime read = parse_micros(c.text);
    CHECK(read.value == c.value);
    CHECK(read.status == c.status);
    // In a file other tokens follow.
    const std::string padded = std::string(c.text) + "12345678";
    const DecimalTime same = parse_padded_micros(std::string_view(padded).substr(0, c.text.size()));
    CHECK(same.value == c.value);
    CHECK(same.status == c.status);
  }
}

TEST_CASE("digits are read several at a time as one by one") {
  std::string text;
  for (std::size_t count = 1; count <= 16; ++count) {
    text += static_cast<char>('0' + count * 7 % 10);
    const std::string padded = text + "99999999";
    const std::string_view digits = std::string_view(padded).substr(0, count);
    CHECK(parse_padded_integer(digits) == parse_integer(digits));
    // None is left to the slower way.
    for (std::size_t at = 0; at < count; ++at) {
      for (char c = '0'; c <= '9'; ++c) {
        std::string other = padded;
        other[at] = c;
        std::uint64_t value = 0;
        REQUIRE(read_long_digits(other.data(), count, value));
        REQUIRE(value == std::stoull(other.substr(0, count)));
      }
    }
    const std::string time = std::string(digits) + ".123";
    const std::string padded_time = time + "99999999";
    CHECK(parse_padded_micros(std::string_view(padded_time).substr(0, time.size())).value == parse_micros(time).value);
    // Whatever stands where a digit should: no number.
    for (std::size_t at = 0; at < count; ++at) {
      for (int c = 0; c < 256; ++c) {
        if (c >= '0' && c <= '9') continue;
        std::string broken = padded;
        broken[at] = static_cast<char>(c);
        std::uint64_t value = 0;
        if (read_long_digits(broken.data(), count, value)) FAIL("character ", c, " at ", at, " of ", count);
      }
    }
  }
  // What follows is no part of a number, however short or long that is.
  for (const std::string number : {"", "12345678901234567", "123456789012345678901234"}) {
    CAPTURE(number);
    const std::string padded = number + "99999999";
    CHECK(parse_padded_integer(std::string_view(padded).substr(0, number.size())) == parse_integer(number));
  }
  CHECK(parse_padded_integer(std::string_view("12.0    ", 4)) == 12);
  CHECK(parse_padded_integer(std::string_view("-5      ", 2)) == -5);
  CHECK_FALSE(parse_padded_integer(std::string_view("12a     ", 3)));
}

TEST_CASE("every number of decimals agrees with the same number written out") {
  // 123456 ns written with 0 to 20 zeros behind it, plain and with an exponent.
  for (int zeros = 0; zeros <= 20; ++zeros) {
    const std::string padding(static_cast<std::size_t>(zeros), '0');
    CHECK(parse_micros("123.456" + padding).value == 123456);
    CHECK(parse_micros("123.456" + padding).status == Status::kExact);
    CHECK(parse_micros("0." + padding + "123456e" + std::to_string(3 + zeros)).value == 123456);
    CHECK(parse_micros("123456" + padding + "e-" + std::to_string(3 + zeros)).value == 123456);
  }
}

TEST_CASE("integers") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-5") == -5);
  CHECK(parse_integer("+5") == 5);
  CHECK(parse_integer("12.0") == 12);
  CHECK(parse_integer("1e3") == 1000);
  CHECK(parse_integer("1200e-2") == 12);
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  CHECK(parse_integer("18446744073709551615") == -1);  // an unsigned id
  CHECK(parse_integer("-9223372036854775808") == INT64_MIN);
  CHECK_FALSE(parse_integer("18446744073709551616"));
  CHECK_FALSE(parse_integer("12.5"));
  CHECK_FALSE(parse_integer("1e30"));
  CHECK_FALSE(parse_integer("1e200"));
  CHECK_FALSE(parse_integer("1." + std::string(40, '0') + "1"));
  CHECK_FALSE(parse_integer(""));
  CHECK_FALSE(parse_integer("abc"));
  CHECK_FALSE(parse_integer("0x3b"));
}

TEST_CASE("nanoseconds as text") {
  CHECK(parse_nanos("1700000000000000000").value == 1'700'000'000'000'000'000);
  CHECK(parse_nanos("12").status == DecimalTime::Status::kExact);
  CHECK(parse_nanos("-12").value == -12);
  CHECK(parse_nanos("12.5").value == 12);  // half to even
  CHECK(parse_nanos("12.5").status == DecimalTime::Status::kRounded);
  CHECK(parse_nanos("1.7e18").value == 1'700'000'000'000'000'000);
  CHECK(parse_nanos("4e3 ").value == 4000);
  CHECK_FALSE(parse_nanos("1e30").valid());
  CHECK_FALSE(parse_nanos("1e99999999999").valid());
  CHECK_FALSE(parse_nanos("").valid());
  CHECK_FALSE(parse_nanos("abc").valid());
}

TEST_CASE("counter values") {
  CHECK(parse_double("0.5") == 0.5);
  CHECK(parse_double("-1e3") == -1000.0);
  CHECK(parse_double(" +7 ") == 7.0);
  CHECK_FALSE(parse_double("nan"));
  CHECK_FALSE(parse_double("inf"));
  CHECK_FALSE(parse_double("1e999"));
  CHECK_FALSE(parse_double(""));
  CHECK_FALSE(parse_double("7 MB"));
}
