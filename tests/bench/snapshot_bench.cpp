// Allocator snapshots of any size: makes a synthetic one and reads it, against a scan of its opcodes, the floor.
//
//   bench_snapshot make FILE [MB]     writes it (1000 MB unless given), as Python's pickle protocol 4 would
//   bench_snapshot FILE [ROUNDS]      seconds of floor, reading and replaying, and memory; floor and reading take turns
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/formats/pickle/pickle_reader.h"
#include "model/formats/snapshot/snapshot_reader.h"
#include "model/input/bytes.h"
#include "model/memory/allocation_history.h"
#include "model/memory/memory_holders.h"

namespace {

using namespace lacuna;

/// Writes pickle opcodes, and counts what it keeps in the memo.
class PickleWriter {
 public:
  explicit PickleWriter(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) std::exit(1);
  }
  ~PickleWriter() {
    flush();
    std::fclose(file_);
  }
  std::uint64_t written() const { return written_ + out_.size(); }

  void op(int code) {
    out_.push_back(static_cast<char>(code));
    if (out_.size() > (1 << 20)) flush();
  }
  template <class T>
  void raw(T value, std::size_t bytes = sizeof(T)) {
    out_.append(reinterpret_cast<const char*>(&value), bytes);
  }
  std::uint32_t memoize() {
    op(0x94);
    return memo_++;
  }
  void get(std::uint32_t index) {
    if (index < 256) {
      op('h');
      op(static_cast<int>(index));
    } else {
      op('j');
      raw(index);
    }
  }
  std::uint32_t text(const std::string& value) {
    op('X');
    raw(static_cast<std::uint32_t>(value.size()));
    out_ += value;
    return memoize();
  }
  void number(std::uint64_t value) {
    if (value < 256) {
      op('K');
      op(static_cast<int>(value));
    } else if (value < 65536) {
      op('M');
      raw(static_cast<std::uint16_t>(value));
    } else if (value < (std::uint64_t{1} << 31)) {
      op('J');
      raw(static_cast<std::uint32_t>(value));
    } else {
      op(0x8a);
      op(7);
      raw(value, 7);
    }
  }
  /// A text, kept at its first use.
  void key(const char* name) {
    for (const auto& [known, index] : keys_)
      if (std::strcmp(known, name) == 0) return get(index);
    keys_.emplace_back(name, text(name));
  }

 private:
  void flush() {
    std::fwrite(out_.data(), 1, out_.size(), file_);
    written_ += out_.size();
    out_.clear();
  }

  std::FILE* file_;
  std::string out_;
  std::uint64_t written_ = 0;
  std::uint32_t memo_ = 0;
  std::vector<std::pair<const char*, std::uint32_t>> keys_;
};

constexpr int kFrames = 20'000;
constexpr int kDepth = 60;
constexpr int kSlots = 50'000;
constexpr std::uint64_t kBase = 0x7f00'0000'0000;
constexpr std::uint64_t kSlot = 1 << 20;

void make(const std::string& path, std::uint64_t bytes) {
  PickleWriter out(path);
  std::mt19937_64 random(1);
  std::vector<std::uint32_t> frames(kFrames, 0);
  std::vector<std::uint32_t> stack(kDepth);
  const auto write_stack = [&] {
    // Calls go deeper and return: what is outermost stays.
    const auto changed = static_cast<std::size_t>(random() % 12);
    for (std::size_t i = 0; i < changed; ++i) stack[i] = static_cast<std::uint32_t>(random() % kFrames);
    out.op(']');
    out.memoize();
    out.op('(');
    for (const std::uint32_t f : stack) {
      if (frames[f] != 0) {
        out.get(frames[f]);
        continue;
      }
      out.op('}');
      frames[f] = out.memoize();
      out.op('(');
      out.key("name");
      out.text(fmt::format("function_{}", f));
      out.key("filename");
      out.text(fmt::format("/home/user/project/module_{}.py", f % 500));
      out.key("line");
      out.number(f % 3000);
      out.op('u');
    }
    out.op('e');
  };
  out.op(0x80);
  out.op(4);
  out.op('}');
  out.memoize();
  out.op('(');
  out.key("device_traces");
  out.op(']');
  out.memoize();
  out.op('(');
  out.op(']');
  out.memoize();
  out.op('(');
  std::vector<bool> held(kSlots);
  std::uint64_t time = 1'750'000'000'000'000;
  const auto event = [&](const char* action, std::uint64_t slot) {
    out.op('}');
    out.memoize();
    out.op('(');
    out.key("action");
    out.key(action);
    out.key("addr");
    out.number(kBase + slot * kSlot);
    out.key("size");
    out.number(512 * (1 + slot % 1000));
    out.key("stream");
    out.number(0);
    out.key("time_us");
    out.number(time += random() % 20);
    out.key("frames");
    write_stack();
    out.op('u');
  };
  for (int in_batch = 0; out.written() < bytes; ++in_batch) {
    if (in_batch == 300) {
      out.op('e');
      out.op('(');
      in_batch = 0;
    }
    const std::uint64_t slot = random() % kSlots;
    if (held[slot]) {
      event("free_requested", slot);
      event("free_completed", slot);
    } else {
      event("alloc", slot);
    }
    held[slot] = !held[slot];
  }
  out.op('e');
  out.op('e');
  out.key("segments");
  out.op(']');
  out.memoize();
  out.op('(');
  out.op('}');
  out.memoize();
  out.op('(');
  const std::pair<const char*, std::uint64_t> numbers[] = {
      {"device", 0}, {"address", kBase}, {"total_size", kSlots * kSlot}, {"stream", 0}};
  for (const auto& [name, value] : numbers) {
    out.key(name);
    out.number(value);
  }
  out.key("segment_type");
  out.key("large");
  out.key("blocks");
  out.op(']');
  out.memoize();
  out.op('(');
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    out.op('}');
    out.memoize();
    out.op('(');
    out.key("address");
    out.number(kBase + slot * kSlot);
    out.key("size");
    out.number(held[slot] ? 512 * (1 + slot % 1000) : kSlot);
    out.key("state");
    out.key(held[slot] ? "active_allocated" : "inactive");
    out.op('u');
  }
  out.op('e');
  out.op('u');
  out.op('e');
  out.op('u');
  out.op('.');
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A line of /proc/self/status in MB.
double memory_mb(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::atof(line.c_str() + std::strlen(key) + 1) / 1024;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "make") == 0) {
    make(argv[2], static_cast<std::uint64_t>(argc > 3 ? std::atoi(argv[3]) : 1000) * 1'000'000);
    return 0;
  }
  if (argc < 2) return 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  for (int round = 0; round < rounds; ++round) {
    const auto file = open_file(argv[1], std::uint64_t{64} << 30, nullptr);
    if (!file) return 1;
    auto start = std::chrono::steady_clock::now();
    const auto opcodes = count_pickle_opcodes(*file->bytes);
    const double floor = seconds_since(start);
    start = std::chrono::steady_clock::now();
    const auto snapshot = read_snapshot(*file->bytes, argv[1]);
    const double read = seconds_since(start);
    if (!opcodes || !snapshot) {
      fmt::print("{}\n", !snapshot ? snapshot.error().message() : "no opcodes");
      return 1;
    }
    start = std::chrono::steady_clock::now();
    std::size_t allocations = 0;
    for (const DeviceHistory& history : snapshot->devices) {
      const DeviceMemory memory = replay_device(*snapshot, history);
      StackNames names(*snapshot);
      (void)holders_at(*snapshot, memory, memory.peak, HolderKey::kFrame, names);
      allocations += memory.allocations.size();
    }
    const double replay = seconds_since(start);
    fmt::print(
        "{:.0f} MB, {:.1f} M opcodes, {:.2f} M events: floor {:.2f} s, read {:.2f} s ({:.1f}), replay and holders "
        "{:.2f} s; held {:.0f} MB, {} allocations, {} stacks, peak of the process {:.0f} MB\n",
        static_cast<double>(file->bytes->size()) / 1e6, static_cast<double>(*opcodes) / 1e6,
        static_cast<double>(snapshot->events.size()) / 1e6, floor, read, read / floor, replay,
        static_cast<double>(snapshot->memory_bytes()) / 1e6, allocations, snapshot->stacks.stack_count(),
        memory_mb("VmHWM"));
  }
  return 0;
}
