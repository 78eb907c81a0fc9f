// How fast can it be? bench_parse_floor FILE THREADS
//
// The floor of importing a plain JSON trace: simdjson's On-Demand parser reads seven fields of every
// event of the mapped file, in pieces of 1 MB, and stores nothing. Only for files laid out as
// bench_write_trace and Kineto do ("\n  },\n  {" between events). Prints one line of JSON.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

struct Totals {
  std::uint64_t events = 0;
  std::uint64_t text_bytes = 0;
  double time_us = 0;
};

void read_event(simdjson::ondemand::object event, Totals& totals) {
  ++totals.events;
  for (auto field : event) {
    const std::string_view key = field.unescaped_key().value();
    auto value = field.value();
    if (key == "ph" || key == "name" || key == "cat") {
      totals.text_bytes += value.get_string().value().size();
    } else if (key == "ts" || key == "dur") {
      totals.time_us += value.get_double().value();
    } else if (key == "pid" || key == "tid") {
      totals.text_bytes += value.raw_json_token().value().size();
    }
  }
}

/// A private, writable, padded mapping.
std::string_view map(const char* path) {
  const int file = ::open(path, O_RDONLY);
  struct stat info {};
  if (file < 0 || ::fstat(file, &info) != 0) {
    std::perror(path);
    std::exit(1);
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  void* room = ::mmap(nullptr, size + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::mmap(room, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
  ::close(file);
  return {static_cast<char*>(room), size};
}

/// Cuts the list of events into lists, by writing brackets between events.
std::vector<std::string_view> cut(std::string_view text) {
  constexpr std::string_view kBetween = "\n  },\n  {\n";
  char* const data = const_cast<char*>(text.data());
  std::size_t begin = text.find('[', text.find("\"traceEvents\""));
  const std::size_t end = text.rfind(']') + 1;
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t at = begin + kPiece < end ? text.find(kBetween, begin + kPiece) : std::string_view::npos;
    if (at == std::string_view::npos || at >= end) break;
    data[at + 4] = ']';
    data[at + 5] = '[';
    pieces.push_back(text.substr(begin, at + 5 - begin));
    begin = at + 5;
  }
  pieces.push_back(text.substr(begin, end - begin));
  return pieces;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_parse_floor FILE THREADS\n");
    return 2;
  }
  const std::string_view text = map(argv[1]);
  const auto threads = static_cast<std::size_t>(std::max(1, std::atoi(argv[2])));
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::string_view> pieces = cut(text);
  std::atomic<std::size_t> next{0};
  std::vector<Totals> totals(threads);
  const auto work = [&](std::size_t t) {
    simdjson::ondemand::parser parser;
    Totals own;
    for (std::size_t i; (i = next++) < pieces.size();) {
      auto document = parser.iterate(pieces[i].data(), pieces[i].size(), pieces[i].size() + simdjson::SIMDJSON_PADDING);
      for (auto event : document.get_array()) read_event(event.get_object(), own);
    }
    totals[t] = own;
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work, t);
    work(0);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t events = 0;
  double time_us = 0;
  for (const Totals& t : totals) {
    events += t.events;
    time_us += t.time_us + static_cast<double>(t.text_bytes);
  }
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto cpu = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  std::printf("{\"seconds\": %.4f, \"cpuSeconds\": %.4f, \"events\": %llu, \"bytes\": %zu, \"checksum\": %.0f}\n",
              seconds, cpu(used.ru_utime) + cpu(used.ru_stime), static_cast<unsigned long long>(events), text.size(),
              time_us);
  return 0;
}
