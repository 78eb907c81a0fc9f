#pragma once

#include "capture/collector/cupti_library.h"
#include "capture/collector/process.h"

namespace lacuna::cupti {

/// Translates CUPTI's activity records to wire records. Caches names.
/// One thread at a time (the GPU lock of the process).
class RecordReader {
 public:
  /// `clock_offset_ns` is subtracted from every time: 0 if CUPTI uses our clock.
  void start(const Functions& functions, std::int64_t clock_offset_ns);

  /// Drops cached name ids: the process was asleep, and names get other ids now.
  void forget();

  /// Writes all records of a buffer to the GPU ring. `may_wait`: the caller is our own thread, which may
  /// wait a moment for the viewer when the ring is full. The ring is published on return.
  void read(collector::Process& process, std::uint8_t* buffer, std::size_t valid, bool may_wait);

 private:
  void read_one(collector::Process& process, const Record& record, bool may_wait);
  template <class WireRecord, class Fill>
  void put(collector::Process& process, wire::RecordType type, std::uint64_t begin, bool may_wait, Fill fill);
  std::uint32_t name_of(collector::Process& process, const char* text);
  std::uint32_t api_name(collector::Process& process, Kind kind, std::uint32_t cbid);
  std::uint64_t time(std::uint64_t cupti_time) const {
    return cupti_time == 0 ? 0 : cupti_time - static_cast<std::uint64_t>(clock_offset_ns_);
  }

  static constexpr std::uint32_t kApis = 1024;
  const Functions* functions_ = nullptr;
  std::int64_t clock_offset_ns_ = 0;
  std::uint32_t api_names_[2][kApis] = {};
  collector::NameCache names_;
};

}  // namespace lacuna::cupti
