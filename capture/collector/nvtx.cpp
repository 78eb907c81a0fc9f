// The NVTX side of the collector: what nvtxRangePush and its siblings call once NVTX has loaded this
// library (NVTX_INJECTION64_PATH). NVTX initialises once per shared object that embeds it, so the
// entry point is called several times and fills whatever table it is given.

#include <cstddef>
#include <cstring>
#include <cwchar>

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

#include "capture/collector/announce.h"
#include "capture/collector/cuda_names.h"
#include "capture/collector/domains.h"
#include "capture/collector/nvtx_names.h"
#include "capture/collector/threads.h"

namespace lacuna::collector {
namespace {

using wire::RecordType;
constexpr std::uint32_t kMostCodedCategory = 1u << 24;
constexpr int kFailed = -1;  // NVTX: "a negative value if an error occurred"

std::uint16_t id_of(nvtxDomainHandle_t handle) {
  return handle == nullptr ? wire::kDefaultDomain : reinterpret_cast<const Domain*>(handle)->id;
}

std::uint64_t payload_bits(const nvtxEventAttributes_t& a) {
  switch (a.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      return a.payload.uiValue;
    case NVTX_PAYLOAD_TYPE_INT32:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(a.payload.iValue));
    case NVTX_PAYLOAD_TYPE_FLOAT: {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &a.payload.fValue, sizeof bits);
      return bits;
    }
    default:
      return a.payload.ullValue;
  }
}

/// The record of a range or mark with attributes; `type` has the size of a RangeRecord.
wire::RangeRecord range_record(RecordType type, std::uint16_t domain, ThreadState& thread,
                               const nvtxEventAttributes_t* a) {
  wire::RangeRecord record;
  record.head.type = type;
  record.head.domain = domain;
  if (a == nullptr) return record;
  record.head.name = name_of(thread, *a);
  record.category = a->category;
  if (a->colorType == NVTX_COLOR_ARGB) record.color = a->color;
  if (a->payloadType > NVTX_PAYLOAD_UNKNOWN && a->payloadType <= NVTX_PAYLOAD_TYPE_FLOAT) {
    record.payload_type = static_cast<wire::PayloadType>(a->payloadType);
    record.payload = payload_bits(*a);
  }
  return record;
}

bool is_plain(const nvtxEventAttributes_t& a) {
  return a.category == 0 && a.colorType == NVTX_COLOR_UNKNOWN && a.payloadType == NVTX_PAYLOAD_UNKNOWN;
}

/// The process, attached or asleep: handles made while it sleeps are told of when it wakes.
Process* known_or_attached() {
  Process* process = attached_process();
  if (process == nullptr) process = known_process();
  if (process == nullptr) return nullptr;
  const std::uint32_t state = process->state.load(std::memory_order_acquire);
  return state == Process::kReady || state == Process::kAsleep ? process : nullptr;
}

/// What the entry points of ranges ask first: nothing is captured now.
inline bool sleeps() {
  return __builtin_expect(is_sleeping.load(std::memory_order_relaxed), 0);
}

// --- push and pop --------------------------------------------------------------------------------

int push_named(ThreadState& thread, std::uint16_t domain, std::uint32_t name) {
  const std::int32_t level = thread.depth(domain)++;
  put_now(thread, wire::head_bits(RecordType::kPush, name, domain, static_cast<std::uint8_t>(level)));
  return level;
}

__attribute__((noinline)) int push(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return kFailed;
  const std::uint16_t domain = id_of(handle);
  if (a == nullptr) return push_named(*thread, domain, wire::kNoName);
  if (is_plain(*a)) return push_named(*thread, domain, name_of(*thread, *a));
  const bool is_short = a->category < kMostCodedCategory;
  const std::int32_t level = thread->depth(domain)++;
  if (is_short) {
    const bool has_payload = a->payloadType > NVTX_PAYLOAD_UNKNOWN && a->payloadType <= NVTX_PAYLOAD_TYPE_FLOAT;
    const std::uint32_t name = name_of(*thread, *a);
    const wire::Slot more{has_payload ? payload_bits(*a) : 0,
                          std::uint64_t{a->colorType == NVTX_COLOR_ARGB ? a->color : 0} |
                              std::uint64_t{a->category} << 32 |
                              std::uint64_t{has_payload ? static_cast<std::uint8_t>(a->payloadType) : 0u} << 56};
    put_now(*thread, wire::head_bits(RecordType::kPushCoded, name, domain, static_cast<std::uint8_t>(level)), more);
    return level;
  }
  wire::RangeRecord record = range_record(RecordType::kPushAttributes, domain, *thread, a);
  record.head.depth = static_cast<std::uint8_t>(level);
  record.head.time = thread->time();
  put(*thread, record);
  return level;
}

__attribute__((noinline)) int pop(nvtxDomainHandle_t handle) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return kFailed;
  const std::uint16_t domain = id_of(handle);
  std::int32_t& depth = thread->depth(domain);
  if (depth <= 0 && thread->process->was_dormant) return kFailed;  // begun while it slept
  if (depth <= 0) {  // nothing is open: the viewer counts it (name 1), the caller learns it
    put_now(*thread, wire::head_bits(RecordType::kPop, wire::kLostName, domain, 0));
    return kFailed;
  }
  const std::int32_t level = --depth;
  put_now(*thread, wire::head_bits(RecordType::kPop, wire::kNoName, domain, static_cast<std::uint8_t>(level)));
  return level;
}

int NVTX_API range_push_ex(const nvtxEventAttributes_t* a) {
  return sleeps() ? kFailed : push(nullptr, a);
}
__attribute__((noinline)) int push_text(const char* message) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return kFailed;
  if (__builtin_expect(strips_torch_names.load(std::memory_order_relaxed), 0)) return push_torch_name(*thread, message);
  return push_named(*thread, wire::kDefaultDomain, name_of(*thread, message));
}
int NVTX_API range_push_a(const char* message) {
  return sleeps() ? kFailed : push_text(message);
}
int NVTX_API range_push_w(const wchar_t* message) {
  ThreadState* thread = current_thread();
  return thread == nullptr ? kFailed : push_named(*thread, wire::kDefaultDomain, name_of(*thread, message));
}
int NVTX_API range_pop() {
  return sleeps() ? kFailed : pop(nullptr);
}
int NVTX_API domain_range_push_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* a) {
  return sleeps() ? kFailed : push(domain, a);
}
int NVTX_API domain_range_pop(nvtxDomainHandle_t domain) {
  return sleeps() ? kFailed : pop(domain);
}

// --- start and end -------------------------------------------------------------------------------

nvtxRangeId_t start(ThreadState& thread, wire::RangeRecord record) {
  record.id = thread.process->next_range.fetch_add(1, std::memory_order_relaxed);
  record.head.time = thread.time();
  put(thread, record);
  return record.id;
}
template <class Text>
nvtxRangeId_t start_text(const Text* message) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return 0;
  wire::RangeRecord record;
  record.head.type = RecordType::kStart;
  record.head.name = name_of(*thread, message);
  return start(*thread, record);
}
nvtxRangeId_t NVTX_API domain_range_start_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* a) {
  ThreadState* thread = current_thread();
  return thread == nullptr ? 0 : start(*thread, range_record(RecordType::kStart, id_of(domain), *thread, a));
}
void NVTX_API domain_range_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || id < thread->process->first_range) return;  // begun while it slept
  wire::RangeRecord record;
  record.head.type = RecordType::kEnd;
  record.head.domain = id_of(domain);
  record.head.time = thread->time();
  record.id = id;
  put(*thread, record);
}
nvtxRangeId_t NVTX_API range_start_ex(const nvtxEventAttributes_t* a) {
  return domain_range_start_ex(nullptr, a);
}
nvtxRangeId_t NVTX_API range_start_a(const char* message) {
  return start_text(message);
}
nvtxRangeId_t NVTX_API range_start_w(const wchar_t* message) {
  return start_text(message);
}
void NVTX_API range_end(nvtxRangeId_t id) {
  domain_range_end(nullptr, id);
}

// --- marks ---------------------------------------------------------------------------------------

template <class Text>
void mark_text(const Text* message) {
  ThreadState* thread = current_thread();
  if (thread == nullptr) return;
  put_now(*thread, wire::head_bits(RecordType::kMark, name_of(*thread, message), wire::kDefaultDomain, 0));
}
void NVTX_API domain_mark_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* a) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || a == nullptr) return;
  wire::RangeRecord record = range_record(RecordType::kMarkAttributes, id_of(domain), *thread, a);
  record.head.time = thread->time();
  put(*thread, record);
}
void NVTX_API mark_ex(const nvtxEventAttributes_t* a) {
  domain_mark_ex(nullptr, a);
}
void NVTX_API mark_a(const char* message) {
  mark_text(message);
}
void NVTX_API mark_w(const wchar_t* message) {
  mark_text(message);
}

// --- names ---------------------------------------------------------------------------------------

void NVTX_API domain_name_category_a(nvtxDomainHandle_t domain, std::uint32_t category, const char* name) {
  if (Process* process = known_or_attached())
    name_category(*process, reinterpret_cast<Domain*>(domain), category, name);
}
void NVTX_API domain_name_category_w(nvtxDomainHandle_t domain, std::uint32_t category, const wchar_t* name) {
  domain_name_category_a(domain, category, Utf8(name).text());
}
void NVTX_API name_category_a(std::uint32_t category, const char* name) {
  domain_name_category_a(nullptr, category, name);
}
void NVTX_API name_category_w(std::uint32_t category, const wchar_t* name) {
  domain_name_category_w(nullptr, category, name);
}
void NVTX_API name_os_thread_a(std::uint32_t thread, const char* name) {
  put_number(RecordType::kThreadName, thread, name);
}
void NVTX_API name_os_thread_w(std::uint32_t thread, const wchar_t* name) {
  name_os_thread_a(thread, Utf8(name).text());
}

// CUDA's objects. NVTX's headers for them need CUDA's; handles are pointers, devices ints, in the driver's API
// and the runtime's alike.
constexpr std::uint32_t kDriverClass = 4u << 16;   // NVTX_RESOURCE_TYPE_CUDA_*
constexpr std::uint32_t kRuntimeClass = 5u << 16;  // NVTX_RESOURCE_TYPE_CUDART_*
enum CudaResource : std::uint32_t {
  kCudaDevice = kDriverClass | 1,
  kCudaContext = kDriverClass | 2,
  kCudaStream = kDriverClass | 3,
  kCudaEvent = kDriverClass | 4,
  kRuntimeDevice = kRuntimeClass | 0,
  kRuntimeStream = kRuntimeClass | 1,
};

void NVTX_API name_device_a(int device, const char* name) {
  name_device(device, name);
}
void NVTX_API name_device_w(int device, const wchar_t* name) {
  name_device(device, Utf8(name).text());
}
void NVTX_API name_context_a(void* context, const char* name) {
  name_context(context, name);
}
void NVTX_API name_context_w(void* context, const wchar_t* name) {
  name_context(context, Utf8(name).text());
}
void NVTX_API name_stream_a(void* stream, const char* name) {
  name_stream(stream, name);
}
void NVTX_API name_stream_w(void* stream, const wchar_t* name) {
  name_stream(stream, Utf8(name).text());
}
void NVTX_API name_event_a(void*, const char*) {
  name_other(kCudaEvent);
}
void NVTX_API name_event_w(void*, const wchar_t*) {
  name_other(kCudaEvent);
}

void name_resource(const nvtxResourceAttributes_t& a, const char* name) {
  const auto type = static_cast<std::uint32_t>(a.identifierType);
  void* object = const_cast<void*>(a.identifier.pValue);
  switch (type) {
    case NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE:
      return put_number(RecordType::kThreadName, static_cast<std::uint32_t>(a.identifier.ullValue), name);
    case kCudaDevice:
    case kRuntimeDevice:
      return name_device(static_cast<int>(a.identifier.ullValue), name);
    case kCudaContext:
      return name_context(object, name);
    case kCudaStream:
    case kRuntimeStream:
      return name_stream(object, name);
    default:
      return put_number(RecordType::kResource, type, name);
  }
}

nvtxResourceHandle_t NVTX_API domain_resource_create(nvtxDomainHandle_t, nvtxResourceAttributes_t* a) {
  if (a == nullptr) return nullptr;
  const Utf8 wide(a->messageType == NVTX_MESSAGE_TYPE_UNICODE ? a->message.unicode : nullptr);
  const char* name = a->messageType == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii
                     : a->messageType == NVTX_MESSAGE_TYPE_REGISTERED && a->message.registered != nullptr
                         ? reinterpret_cast<const RegisteredName*>(a->message.registered)->text
                         : wide.text();
  if (name == nullptr) return nullptr;
  name_resource(*a, name);
  return reinterpret_cast<nvtxResourceHandle_t>(a->identifier.ullValue != 0 ? a->identifier.ullValue : 1);
}
void NVTX_API domain_resource_destroy(nvtxResourceHandle_t) {}

nvtxStringHandle_t NVTX_API domain_register_string_a(nvtxDomainHandle_t, const char* text) {
  Process* process = known_or_attached();
  return process == nullptr ? nullptr : reinterpret_cast<nvtxStringHandle_t>(register_name(*process, text));
}
nvtxStringHandle_t NVTX_API domain_register_string_w(nvtxDomainHandle_t domain, const wchar_t* text) {
  return domain_register_string_a(domain, Utf8(text).text());
}
nvtxDomainHandle_t NVTX_API domain_create_a(const char* name) {
  Process* process = known_or_attached();
  return process == nullptr ? nullptr : reinterpret_cast<nvtxDomainHandle_t>(make_domain(*process, name));
}
nvtxDomainHandle_t NVTX_API domain_create_w(const wchar_t* name) {
  return domain_create_a(Utf8(name).text());
}
void NVTX_API domain_destroy(nvtxDomainHandle_t) {}
void NVTX_API initialize(const void*) {}

// --- the tables ----------------------------------------------------------------------------------

struct Entry {
  unsigned id;
  NvtxFunctionPointer function;
};
template <class Function>
Entry entry(unsigned id, Function* function) {
  return {id, reinterpret_cast<NvtxFunctionPointer>(function)};
}

template <std::size_t kCount>
void fill(const NvtxExportTableCallbacks& tables, NvtxCallbackModule module, const Entry (&entries)[kCount]) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (tables.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return;
  for (const Entry& e : entries)
    if (e.id < size && table[e.id] != nullptr) *table[e.id] = e.function;
}

void fill_tables(const NvtxExportTableCallbacks& tables) {
  const Entry core[] = {entry(NVTX_CBID_CORE_MarkEx, mark_ex),
                        entry(NVTX_CBID_CORE_MarkA, mark_a),
                        entry(NVTX_CBID_CORE_MarkW, mark_w),
                        entry(NVTX_CBID_CORE_RangeStartEx, range_start_ex),
                        entry(NVTX_CBID_CORE_RangeStartA, range_start_a),
                        entry(NVTX_CBID_CORE_RangeStartW, range_start_w),
                        entry(NVTX_CBID_CORE_RangeEnd, range_end),
                        entry(NVTX_CBID_CORE_RangePushEx, range_push_ex),
                        entry(NVTX_CBID_CORE_RangePushA, range_push_a),
                        entry(NVTX_CBID_CORE_RangePushW, range_push_w),
                        entry(NVTX_CBID_CORE_RangePop, range_pop),
                        entry(NVTX_CBID_CORE_NameCategoryA, name_category_a),
                        entry(NVTX_CBID_CORE_NameCategoryW, name_category_w),
                        entry(NVTX_CBID_CORE_NameOsThreadA, name_os_thread_a),
                        entry(NVTX_CBID_CORE_NameOsThreadW, name_os_thread_w)};
  const Entry domains[] = {entry(NVTX_CBID_CORE2_DomainMarkEx, domain_mark_ex),
                           entry(NVTX_CBID_CORE2_DomainRangeStartEx, domain_range_start_ex),
                           entry(NVTX_CBID_CORE2_DomainRangeEnd, domain_range_end),
                           entry(NVTX_CBID_CORE2_DomainRangePushEx, domain_range_push_ex),
                           entry(NVTX_CBID_CORE2_DomainRangePop, domain_range_pop),
                           entry(NVTX_CBID_CORE2_DomainResourceCreate, domain_resource_create),
                           entry(NVTX_CBID_CORE2_DomainResourceDestroy, domain_resource_destroy),
                           entry(NVTX_CBID_CORE2_DomainNameCategoryA, domain_name_category_a),
                           entry(NVTX_CBID_CORE2_DomainNameCategoryW, domain_name_category_w),
                           entry(NVTX_CBID_CORE2_DomainRegisterStringA, domain_register_string_a),
                           entry(NVTX_CBID_CORE2_DomainRegisterStringW, domain_register_string_w),
                           entry(NVTX_CBID_CORE2_DomainCreateA, domain_create_a),
                           entry(NVTX_CBID_CORE2_DomainCreateW, domain_create_w),
                           entry(NVTX_CBID_CORE2_DomainDestroy, domain_destroy),
                           entry(NVTX_CBID_CORE2_Initialize, initialize)};
  const Entry driver[] = {
      entry(NVTX_CBID_CUDA_NameCuDeviceA, name_device_a),   entry(NVTX_CBID_CUDA_NameCuDeviceW, name_device_w),
      entry(NVTX_CBID_CUDA_NameCuContextA, name_context_a), entry(NVTX_CBID_CUDA_NameCuContextW, name_context_w),
      entry(NVTX_CBID_CUDA_NameCuStreamA, name_stream_a),   entry(NVTX_CBID_CUDA_NameCuStreamW, name_stream_w),
      entry(NVTX_CBID_CUDA_NameCuEventA, name_event_a),     entry(NVTX_CBID_CUDA_NameCuEventW, name_event_w)};
  const Entry runtime[] = {
      entry(NVTX_CBID_CUDART_NameCudaDeviceA, name_device_a), entry(NVTX_CBID_CUDART_NameCudaDeviceW, name_device_w),
      entry(NVTX_CBID_CUDART_NameCudaStreamA, name_stream_a), entry(NVTX_CBID_CUDART_NameCudaStreamW, name_stream_w),
      entry(NVTX_CBID_CUDART_NameCudaEventA, name_event_a),   entry(NVTX_CBID_CUDART_NameCudaEventW, name_event_w)};
  fill(tables, NVTX_CB_MODULE_CORE, core);
  fill(tables, NVTX_CB_MODULE_CUDA, driver);
  fill(tables, NVTX_CB_MODULE_CUDART, runtime);
  fill(tables, NVTX_CB_MODULE_CORE2, domains);
}

}  // namespace
}  // namespace lacuna::collector

/// NVTX calls this; 0 tells it that nobody listens, and its calls then cost about a nanosecond.
extern "C" __attribute__((visibility("default"))) int NVTX_API
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  using namespace lacuna::collector;
  if (get_table == nullptr) return 0;
  const Process* process = known_or_attached();
  if (process == nullptr) return 0;
  if (process->state == Process::kReady && !process->was_dormant && !process->captures_nvtx) return 0;
  const auto* tables = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (tables == nullptr || tables->struct_size < sizeof(NvtxExportTableCallbacks) ||
      tables->GetModuleFunctionTable == nullptr)
    return 0;
  fill_tables(*tables);
  return 1;
}
