#include "capture/sampling/perf_records.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <linux/perf_event.h>

namespace lacuna {
namespace {

constexpr std::size_t kRegisterCount = static_cast<std::size_t>(std::popcount(kSampleRegisters));

template <class Value>
bool take(std::span<const std::byte>& from, Value& value) {
  if (from.size() < sizeof value) return false;
  std::memcpy(&value, from.data(), sizeof value);
  from = from.subspan(sizeof value);
  return true;
}

/// pid, tid and time behind every record that is no sample (sample_id_all with PERF_SAMPLE_TID and _TIME).
struct RecordTrailer {
  std::uint32_t pid;
  std::uint32_t tid;
  std::uint64_t time;
};

bool read_trailer(std::span<const std::byte> body, PerfRecord& record) {
  if (body.size() < sizeof(RecordTrailer)) return false;
  RecordTrailer trailer{};
  std::memcpy(&trailer, body.data() + body.size() - sizeof trailer, sizeof trailer);
  record.pid = trailer.pid;
  record.tid = trailer.tid;
  record.time = trailer.time;
  return true;
}

bool read_sample(std::span<const std::byte> body, PerfRecord& record) {
  std::uint64_t abi = 0, size = 0;
  if (!take(body, record.pid) || !take(body, record.tid) || !take(body, record.time) || !take(body, abi)) return false;
  if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
    if (body.size() < kRegisterCount * 8) return false;
    // A 32-bit program's registers mean something else.
    if (abi == PERF_SAMPLE_REGS_ABI_64) record.registers = body.first(kRegisterCount * 8);
    body = body.subspan(kRegisterCount * 8);
  }
  if (!take(body, size) || body.size() < size) return false;
  if (size == 0) return true;
  const auto copied = body.first(size);
  body = body.subspan(size);
  std::uint64_t used = 0;
  if (!take(body, used)) return false;
  record.stack = copied.first(static_cast<std::size_t>(std::min<std::uint64_t>(used, size)));
  return true;
}

bool read_body(const perf_event_header& header, std::span<const std::byte> body, PerfRecord& record) {
  using Kind = PerfRecord::Kind;
  switch (header.type) {
    case PERF_RECORD_SWITCH:
      record.kind = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0           ? Kind::kSwitchIn
                    : (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? Kind::kPreempted
                                                                               : Kind::kSwitchOut;
      return read_trailer(body, record);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
      struct {
        std::uint32_t pid, parent, tid, parent_tid;
        std::uint64_t time;
      } task{};
      if (!take(body, task)) return false;
      record.kind = header.type == PERF_RECORD_FORK ? Kind::kStart : Kind::kExit;
      record.pid = task.pid;
      record.tid = task.tid;
      record.time = task.time;
      return true;
    }
    case PERF_RECORD_COMM: {
      if (!read_trailer(body, record) || !take(body, record.pid) || !take(body, record.tid)) return false;
      const auto* text = reinterpret_cast<const char*>(body.data());
      record.kind = Kind::kName;
      record.is_exec = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
      record.name = {text, static_cast<std::size_t>(std::find(text, text + body.size(), '\0') - text)};
      return true;
    }
    case PERF_RECORD_LOST: {
      std::uint64_t id = 0;
      record.kind = Kind::kLost;
      return take(body, id) && take(body, record.lost) && read_trailer(body, record);
    }
    case PERF_RECORD_SAMPLE:
      record.kind = Kind::kSample;
      return read_sample(body, record);
    default:
      return true;
  }
}

}  // namespace

bool take_record(std::span<const std::byte>& bytes, PerfRecord& record) {
  perf_event_header header{};
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.size < sizeof header || header.size > bytes.size()) return false;
  record = {};
  if (!read_body(header, bytes.subspan(sizeof header, header.size - sizeof header), record)) record = {};
  bytes = bytes.subspan(header.size);
  return true;
}

}  // namespace lacuna
