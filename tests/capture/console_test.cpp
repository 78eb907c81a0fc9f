#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "capture/session/console_buffer.h"

using namespace lacuna;
using Stream = ConsoleBuffer::Stream;

TEST_CASE("console: lines of two streams, cut anywhere") {
  ConsoleBuffer console;
  console.add(Stream::kOutput, "hel");
  console.add(Stream::kErrors, "warn");
  console.add(Stream::kOutput, "lo\nworld");
  CHECK(console.text() == "hello\nworld\nwarn\n");  // what is not ended yet comes last
  console.add(Stream::kErrors, "ing\n");
  console.say("ours");
  console.finish();
  CHECK(console.text() == "hello\nwarning\nours\nworld\n");
  std::vector<Stream> streams;
  console.for_each(0, 99, [&](const ConsoleBuffer::Line& line) { streams.push_back(line.stream); });
  CHECK(streams == std::vector{Stream::kOutput, Stream::kErrors, Stream::kOurs, Stream::kOutput});
}

TEST_CASE("console: progress bars, colours, titles, tabs") {
  ConsoleBuffer console;
  console.add(Stream::kOutput, "10%\r20%\r100% done\n");
  console.add(Stream::kOutput, "\x1b[1;31mred\x1b");
  console.add(Stream::kOutput, "[0m plain\n\x1b]0;title\aafter\n");
  console.add(Stream::kOutput, "a\tb\nab\bc\nbell\x07\r\nnext\n");
  CHECK(console.text() == "100% done\nred plain\nafter\na       b\nac\nbell?\nnext\n");
}

TEST_CASE("console: bounded, and tells what is gone") {
  ConsoleBuffer console;
  const std::string line(99, 'x');
  for (std::size_t i = 0; i < ConsoleBuffer::kMostLines + 10; ++i) console.add(Stream::kOutput, "short\n");
  CHECK(console.size() == ConsoleBuffer::kMostLines);
  CHECK(console.dropped_lines() == 10);
  // No end of line at all: broken, and not more than the bytes allowed.
  for (int i = 0; i < 100'000; ++i) console.add(Stream::kErrors, line);
  CHECK(console.text().size() < ConsoleBuffer::kMostBytes * 2);
  std::size_t longest = 0;
  console.for_each(0, console.size(),
                   [&](const ConsoleBuffer::Line& l) { longest = std::max(longest, l.text.size()); });
  CHECK(longest == ConsoleBuffer::kMostInLine);
}
