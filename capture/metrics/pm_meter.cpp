#include "capture/metrics/pm_meter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "capture/wire/clock.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kPmSecondNs = 1'000'000'000;
/// The data image must hold all that one read finds, or the rest is lost; a read may be late by this much.
constexpr unsigned kReadsLatePerSecond = 2;  // half a second
constexpr std::uint32_t kSpareSamples = 64;
/// What a sample takes in the GPU's buffer is not told; 4 to 7 KB were seen on an H100.
constexpr std::size_t kBufferBytesPerSample = 16 << 10;
constexpr std::size_t kLeastBufferBytes = 8 << 20;
/// "sysclk" of the chips that count in its cycles runs at about this.
constexpr std::uint64_t kCyclesPerSecond = 1'200'000'000;
constexpr std::uint64_t kClockDoubtNs = kPmSecondNs;

bool counts_cycles(const std::string& chip) {
  return chip.starts_with("TU") || chip == "GA100";
}

std::uint64_t monotonic_clock() {
  return wire::monotonic_ns();
}

}  // namespace

template <class Call>
pm::Status PmMeter::ask(Call&& call) {
  pm::Status status = call();
  // It is documented to need no context of ours, which would take GPU memory: only where it says otherwise.
  const bool wants_context = status == pm::kInvalidContext || status == pm::kNotInitialized;
  if (!wants_context || context_ != nullptr || f_.RetainContext == nullptr || f_.SetCurrentContext == nullptr)
    return status;
  if (f_.RetainContext(&context_, 0) != 0 || f_.SetCurrentContext(context_) != 0) return status;
  return call();
}

Result<void> PmMeter::prepare() {
  pm::GetChipName name;
  if (const pm::Status status = ask([&] { return f_.DeviceGetChipName(&name); }); status != pm::kSuccess)
    return fail(ErrorCode::kUnsupported, pm_refusal(status, "cuptiDeviceGetChipName"));
  chip_ = name.name != nullptr ? name.name : "";
  pm::GetAvailability availability;
  std::vector<std::uint8_t> image;
  pm::Status status = ask([&] { return f_.PmGetAvailability(&availability); });
  if (status == pm::kSuccess) {
    image.resize(availability.bytes);
    availability.image = image.data();
    status = f_.PmGetAvailability(&availability);
  }
  if (status != pm::kSuccess)
    return fail(ErrorCode::kUnsupported, pm_refusal(status, "cuptiPmSamplingGetCounterAvailability"));
  Result<PmChoice> choice = choose_pm_metrics(library_, chip_, image);
  if (!choice) return tl::make_unexpected(choice.error());
  choice_ = std::move(*choice);
  return {};
}

Result<void> PmMeter::start(unsigned per_second) {
  per_second_ = std::clamp(per_second, 1u, kMostPerSecond);
  // CUPTI stamps with CLOCK_REALTIME unless it gets another clock; read() looks at what it does.
  if (f_.RegisterClock != nullptr) f_.RegisterClock(monotonic_clock);
  return begin();
}

pm::Status PmMeter::begin_with(pm::Trigger trigger) {
  pm::SetConfig config;
  if (library_.version < pm::kApiWithAppend) config.head.size = pm::kSetConfigBytesBefore;
  config.sampler = sampler_;
  config.config = choice_.config.data();
  config.config_bytes = choice_.config.size();
  config.buffer_bytes = std::max(kLeastBufferBytes, per_second_ * kBufferBytesPerSample);
  config.trigger = trigger;
  config.interval = (trigger == pm::Trigger::kNanoseconds ? kPmSecondNs : kCyclesPerSecond) / per_second_;
  return f_.PmSetConfig(&config);
}

Result<void> PmMeter::begin() {
  const auto refused = [this](pm::Status status, const char* call) -> Result<void> {
    stop();
    return fail(ErrorCode::kUnsupported, pm_refusal(status, call));
  };
  pm::Enable enable;
  if (const pm::Status status = ask([&] { return f_.PmEnable(&enable); }); status != pm::kSuccess)
    return refused(status, "cuptiPmSamplingEnable");
  sampler_ = enable.sampler;
  pm::Status status = begin_with(counts_cycles(chip_) ? pm::Trigger::kClockCycles : pm::Trigger::kNanoseconds);
  if (status == pm::kNotSupported || status == pm::kInvalidParameter) status = begin_with(pm::Trigger::kClockCycles);
  if (status != pm::kSuccess) return refused(status, "cuptiPmSamplingSetConfig");
  pm::GetDataSize size;
  size.sampler = sampler_;
  size.names = choice_.names.data();
  size.count = choice_.names.size();
  size.most_samples = per_second_ / kReadsLatePerSecond + kSpareSamples;
  if (status = f_.PmGetDataSize(&size); status != pm::kSuccess)
    return refused(status, "cuptiPmSamplingGetCounterDataSize");
  data_.assign(size.bytes, 0);
  if (const Result<void> renewed = renew_data(); !renewed) return renewed;
  pm::OfSampler of;
  of.sampler = sampler_;
  began_ = wire::monotonic_ns();
  if (status = f_.PmStart(&of); status != pm::kSuccess) return refused(status, "cuptiPmSamplingStart");
  return {};
}

Result<void> PmMeter::renew_data() {
  pm::InitializeData data;
  data.sampler = sampler_;
  data.data = data_.data();
  data.bytes = data_.size();
  if (const pm::Status status = f_.PmInitializeData(&data); status != pm::kSuccess)
    return fail(ErrorCode::kUnsupported, pm_refusal(status, "cuptiPmSamplingCounterDataImageInitialize"));
  return {};
}

Result<std::vector<PmSample>> PmMeter::read() {
  std::vector<PmSample> samples;
  if (sampler_ == nullptr) {  // after a loss: at most once a second
    if (wire::monotonic_ns() - began_ < kPmSecondNs) return samples;
    if (const Result<void> begun = begin(); !begun) return tl::make_unexpected(begun.error());
    return samples;
  }
  follow_clock();
  pm::Decode decode;
  decode.sampler = sampler_;
  decode.data = data_.data();
  decode.bytes = data_.size();
  const pm::Status status = f_.PmDecode(&decode);
  // A buffer that ran over stays so, and what is behind a full image is lost: both begin anew.
  const bool is_over = status == pm::kOutOfMemory || decode.overflow != 0;
  if (status != pm::kSuccess && !is_over)
    return fail(ErrorCode::kUnsupported, pm_refusal(status, "cuptiPmSamplingDecodeData"));
  pm::GetDataInfo info;
  info.data = data_.data();
  info.bytes = data_.size();
  if (status == pm::kSuccess && f_.PmGetDataInfo(&info) != pm::kSuccess) ++losses_;
  const std::uint64_t now = wire::monotonic_ns();
  for (std::size_t i = 0; i < std::min(info.completed, info.total); ++i) {
    pm::GetSampleInfo at;
    at.sampler = sampler_;
    at.data = data_.data();
    at.bytes = data_.size();
    at.sample = i;
    PmSample sample;
    sample.values.resize(choice_.names.size());
    pm::Evaluate evaluate;
    evaluate.host = choice_.host;
    evaluate.data = data_.data();
    evaluate.data_bytes = data_.size();
    evaluate.sample = i;
    evaluate.names = choice_.names.data();
    evaluate.count = choice_.names.size();
    evaluate.values = sample.values.data();
    if (f_.PmGetSampleInfo(&at) != pm::kSuccess || f_.HostEvaluate(&evaluate) != pm::kSuccess) {
      ++losses_;
      continue;
    }
    if (at.start != 0 && at.start == at.end) continue;  // covers no time; comes behind the last one
    sample.start = at.start - static_cast<std::uint64_t>(clock_offset_);
    sample.end = at.end - static_cast<std::uint64_t>(clock_offset_);
    const bool makes_sense = sample.start < sample.end && sample.start + kClockDoubtNs >= began_ &&
                             sample.end <= now + kClockDoubtNs &&
                             std::ranges::all_of(sample.values, [](double value) { return std::isfinite(value); });
    if (makes_sense)
      samples.push_back(std::move(sample));
    else
      ++losses_;
  }
  if (is_over || decode.stop == pm::DecodeStop::kDataIsFull) {
    ++losses_;
    stop();
  } else if (const Result<void> renewed = renew_data(); !renewed) {
    return tl::make_unexpected(renewed.error());
  }
  return samples;
}

void PmMeter::follow_clock() {
  std::uint64_t gpu_time = 0;
  const std::uint64_t before = wire::monotonic_ns();
  if (f_.GetTimestamp(&gpu_time) != pm::kSuccess) return;
  const auto doubt = static_cast<std::int64_t>((wire::monotonic_ns() - before + 1) / 2);
  const std::int64_t offset = static_cast<std::int64_t>(gpu_time - before) - doubt;
  // Both run at one rate: what is within the doubt says nothing new, and would only make the samples tremble.
  if (std::abs(offset - clock_offset_) > doubt) clock_offset_ = offset;
}

void PmMeter::stop() {
  if (sampler_ == nullptr) return;
  pm::OfSampler of;
  of.sampler = sampler_;
  f_.PmStop(&of);
  pm::OfSampler off;
  off.sampler = std::exchange(sampler_, nullptr);
  f_.PmDisable(&off);
}

}  // namespace lacuna
