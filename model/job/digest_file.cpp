#include "model/job/digest_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nanoarrow/nanoarrow.h>
#include <nanoarrow/nanoarrow_ipc.h>

#include "model/arrow/owned.h"
#include "model/base/os/files.h"
#include "model/base/os/machine.h"
#include "model/formats/digest/digest_format.h"
#include "model/job/digest_columns.h"

namespace lacuna {
namespace {

constexpr const char* kVersionKey = "lacuna.digest";
/// No rank's digest is larger; keeps a wrong file from being read whole.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

template <class T>
constexpr ArrowType arrow_type() {
  using V = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<V, double>) return NANOARROW_TYPE_DOUBLE;
  if constexpr (std::is_same_v<V, bool>) return NANOARROW_TYPE_BOOL;
  if constexpr (std::is_same_v<V, std::uint64_t>) return NANOARROW_TYPE_UINT64;
  if constexpr (std::is_same_v<V, std::uint32_t>) return NANOARROW_TYPE_UINT32;
  if constexpr (std::is_same_v<V, std::int32_t>) return NANOARROW_TYPE_INT32;
  return NANOARROW_TYPE_INT64;
}

/// Makes the children of a struct's schema. Errors are those of memory alone; the first one stays.
class SchemaMaker {
 public:
  static constexpr bool kReads = false;
  explicit SchemaMaker(ArrowErrorCode& error) : error_(error) {}

  template <class T>
  void number(const char* name, T&) {
    add(name, arrow_type<T>(), std::is_same_v<std::remove_cv_t<T>, bool>);
  }
  void text(const char* name, const std::string&) { add(name, NANOARROW_TYPE_STRING, false); }
  void optional(const char* name, const std::optional<std::int64_t>&) { add(name, NANOARROW_TYPE_INT64, true); }
  template <class T>
  void list(const char* name, const std::vector<T>&) {
    auto child = std::make_unique<OwnedSchema>();
    ArrowSchema* list = child->get();
    ArrowSchemaInit(list);
    check(ArrowSchemaSetType(list, NANOARROW_TYPE_LIST));
    check(ArrowSchemaSetName(list, name));
    if (error_ == NANOARROW_OK) set_element<T>(list->children[0]);
    children_.push_back(std::move(child));
  }

  /// Gives `schema` the struct type with all that was visited.
  void finish(ArrowSchema* schema) {
    check(ArrowSchemaSetTypeStruct(schema, static_cast<std::int64_t>(children_.size())));
    for (std::size_t i = 0; error_ == NANOARROW_OK && i < children_.size(); ++i) {
      release_schema(schema->children[i]);
      ArrowSchemaMove(children_[i]->get(), schema->children[i]);
    }
  }

 private:
  void check(ArrowErrorCode code) {
    if (error_ == NANOARROW_OK) error_ = code;
  }
  void add(const char* name, ArrowType type, bool) {
    auto child = std::make_unique<OwnedSchema>();
    ArrowSchemaInit(child->get());
    check(ArrowSchemaSetType(child->get(), type));
    check(ArrowSchemaSetName(child->get(), name));
    children_.push_back(std::move(child));
  }
  template <class T>
  void set_element(ArrowSchema* element) {
    if constexpr (std::is_same_v<T, std::string>) {
      check(ArrowSchemaSetType(element, NANOARROW_TYPE_STRING));
    } else if constexpr (std::is_arithmetic_v<T>) {
      check(ArrowSchemaSetType(element, arrow_type<T>()));
    } else {
      SchemaMaker inner(error_);
      const T row{};
      digest_columns(inner, row, &row);
      inner.finish(element);
    }
    check(ArrowSchemaSetName(element, "item"));
  }

  ArrowErrorCode& error_;
  std::vector<std::unique_ptr<OwnedSchema>> children_;
};

/// Appends one row to a struct array.
class RowAppender {
 public:
  static constexpr bool kReads = false;
  RowAppender(ArrowArray* row, ArrowErrorCode& error) : row_(row), error_(error) {}

  template <class T>
  void number(const char*, T value) {
    append(next(), value);
  }
  void text(const char*, const std::string& value) { append(next(), value); }
  void optional(const char*, const std::optional<std::int64_t>& value) {
    ArrowArray* column = next();
    check(value ? ArrowArrayAppendInt(column, *value) : ArrowArrayAppendNull(column, 1));
  }
  template <class T>
  void list(const char*, const std::vector<T>& values) {
    ArrowArray* column = next();
    for (const T& value : values) append(column->children[0], value);
    check(ArrowArrayFinishElement(column));
  }

 private:
  void check(ArrowErrorCode code) {
    if (error_ == NANOARROW_OK) error_ = code;
  }
  ArrowArray* next() { return row_->children[column_++]; }
  template <class T>
  void append(ArrowArray* column, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      check(ArrowArrayAppendString(column, {value.data(), static_cast<std::int64_t>(value.size())}));
    } else if constexpr (std::is_floating_point_v<T>) {
      check(ArrowArrayAppendDouble(column, value));
    } else if constexpr (std::is_unsigned_v<T>) {
      check(ArrowArrayAppendUInt(column, value));
    } else if constexpr (std::is_integral_v<T>) {
      check(ArrowArrayAppendInt(column, value));
    } else {
      RowAppender inner(column, error_);
      digest_columns(inner, value, &value);
      check(ArrowArrayFinishElement(column));
    }
  }

  ArrowArray* row_;
  ArrowErrorCode& error_;
  std::int64_t column_ = 0;
};

/// Reads one row of a struct array whose schema was checked.
class RowReader {
 public:
  static constexpr bool kReads = true;
  RowReader(const ArrowArrayView* row, std::int64_t index) : row_(row), index_(index) {}

  template <class T>
  void number(const char*, T& value) {
    take(next(), index_, value);
  }
  void text(const char*, std::string& value) { take(next(), index_, value); }
  void optional(const char*, std::optional<std::int64_t>& value) {
    const ArrowArrayView* column = next();
    value.reset();
    if (ArrowArrayViewIsNull(column, index_) == 0) value = ArrowArrayViewGetIntUnsafe(column, index_);
  }
  template <class T>
  void list(const char*, std::vector<T>& values) {
    const ArrowArrayView* column = next();
    const std::int64_t begin = ArrowArrayViewListChildOffset(column, index_);
    const std::int64_t end = ArrowArrayViewListChildOffset(column, index_ + 1);
    values.assign(static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin)), T{});
    for (std::int64_t i = begin; i < end; ++i)
      take(column->children[0], i, values[static_cast<std::size_t>(i - begin)]);
  }

 private:
  const ArrowArrayView* next() { return row_->children[column_++]; }
  template <class T>
  void take(const ArrowArrayView* column, std::int64_t index, T& value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      const ArrowStringView text = ArrowArrayViewGetStringUnsafe(column, index);
      value.assign(text.data == nullptr ? "" : text.data, static_cast<std::size_t>(text.size_bytes));
    } else if constexpr (std::is_floating_point_v<T>) {
      value = ArrowArrayViewGetDoubleUnsafe(column, index);
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(ArrowArrayViewGetUIntUnsafe(column, index));
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(ArrowArrayViewGetIntUnsafe(column, index));
    } else {
      RowReader inner(column, index);
      digest_columns(inner, value, &value);
    }
  }

  const ArrowArrayView* row_;
  std::int64_t index_;
  std::int64_t column_ = 0;
};

ArrowErrorCode make_schema(ArrowSchema* schema) {
  ArrowErrorCode error = NANOARROW_OK;
  ArrowSchemaInit(schema);
  SchemaMaker maker(error);
  const JobRank rank;
  digest_columns(maker, rank, &rank);
  maker.finish(schema);
  if (error != NANOARROW_OK) return error;
  ArrowBuffer metadata;
  NANOARROW_RETURN_NOT_OK(ArrowMetadataBuilderInit(&metadata, nullptr));
  const std::string version = std::to_string(kDigestVersion);
  error = ArrowMetadataBuilderAppend(&metadata, ArrowCharView(kVersionKey), ArrowCharView(version.c_str()));
  if (error == NANOARROW_OK) error = ArrowSchemaSetMetadata(schema, reinterpret_cast<const char*>(metadata.data));
  ArrowBufferReset(&metadata);
  return error;
}

/// Same types and names all the way down.
bool same_schema(const ArrowSchema* a, const ArrowSchema* b) {
  if (std::string_view(a->format) != b->format || a->n_children != b->n_children) return false;
  for (std::int64_t i = 0; i < a->n_children; ++i) {
    const char *x = a->children[i]->name, *y = b->children[i]->name;
    if (std::string_view(x == nullptr ? "" : x) != (y == nullptr ? "" : y)) return false;
    if (!same_schema(a->children[i], b->children[i])) return false;
  }
  return true;
}

int version_of(const ArrowSchema* schema) {
  ArrowStringView value{nullptr, 0};
  if (schema->metadata == nullptr ||
      ArrowMetadataGetValue(schema->metadata, ArrowCharView(kVersionKey), &value) != NANOARROW_OK ||
      value.data == nullptr)
    return 0;
  return std::atoi(std::string(value.data, static_cast<std::size_t>(value.size_bytes)).c_str());
}

/// Indices that point nowhere would be followed.
bool is_consistent(const JobRank& rank) {
  const auto texts = rank.texts.size(), groups = rank.groups.size();
  const auto steps = static_cast<std::int32_t>(rank.steps.size());
  const auto parts = static_cast<std::int32_t>(rank.collectives.size());
  if (texts == 0) return false;
  // Sums of a few of them must not overflow.
  const auto is_time = [](Nanos t) { return t > -4'000'000'000'000'000'000 && t < 4'000'000'000'000'000'000; };
  const auto is_length = [&](Nanos t) { return t >= 0 && is_time(t); };
  if (!is_time(rank.epoch)) return false;
  for (const RankStep& step : rank.steps) {
    if (!is_time(step.start) || !is_time(step.end) || !is_length(step.preempted) || !is_length(step.compute) ||
        !is_length(step.longest_preempted) || !is_time(step.longest_preempted_start) || !is_length(step.waited) ||
        !is_length(step.longest_waited) || !is_time(step.longest_waited_start) || step.waited_in >= texts ||
        !(step.clock_mhz >= 0 && step.clock_mhz < 1e9) ||
        !(step.lowest_clock_mhz >= 0 && step.lowest_clock_mhz < 1e9) || !is_time(step.lowest_clock_start) ||
        step.clock_reason >= texts)
      return false;
    for (const IdleUse& use : step.idle)
      if (use.what >= texts || !is_length(use.total) || !is_length(use.longest) || !is_time(use.longest_start))
        return false;
  }
  for (const CollectivePart& part : rank.collectives)
    if (part.name >= texts || part.kernel >= texts || part.dtype >= texts || part.group >= groups ||
        !is_time(part.start) || !is_time(part.end) || !is_length(part.own_work) || part.step >= steps ||
        part.step < -1 || part.released_by >= parts || part.released_by < -1)
      return false;
  return std::ranges::all_of(rank.kernels, [&](const KernelUse& use) {
    return use.name < texts && use.shape < texts && use.step < steps && use.count >= 0 && is_length(use.total) &&
           is_length(use.longest) && is_time(use.longest_start);
  });
}

Error digest_error(ErrorCode code, std::string cause, const std::string& path) {
  return Error{code, std::move(cause), path, {}};
}

/// Numbers lie where their type may lie; nanoarrow leaves that to who writes the file.
bool is_aligned(const ArrowArrayView& view) {
  for (int i = 0; i < NANOARROW_MAX_FIXED_BUFFERS; ++i) {
    const auto bytes = static_cast<std::uintptr_t>(std::max<std::int64_t>(view.layout.element_size_bits[i] / 8, 1));
    const auto address = reinterpret_cast<std::uintptr_t>(view.buffer_views[i].data.data);
    if (std::has_single_bit(bytes) && bytes <= alignof(std::max_align_t) && address % bytes != 0) return false;
  }
  for (std::int64_t i = 0; i < view.n_children; ++i)
    if (!is_aligned(*view.children[i])) return false;
  return view.dictionary == nullptr || is_aligned(*view.dictionary);
}

Result<std::vector<JobRank>> read_rows(ArrowArrayStream* stream, const std::string& path) {
  const auto bad = [&](const std::string& why) {
    return tl::make_unexpected(digest_error(ErrorCode::kNotATrace, "not a digest that can be read: " + why, path));
  };
  OwnedSchema schema, expected;
  ArrowError error{};
  if (ArrowArrayStreamGetSchema(stream, schema.get(), &error) != NANOARROW_OK) return bad(error.message);
  if (make_schema(expected.get()) != NANOARROW_OK)
    return tl::make_unexpected(digest_error(ErrorCode::kLimit, "not enough memory", path));
  if (const int version = version_of(schema.get()); version != kDigestVersion)
    return bad(version == 0 ? "an Arrow file, but none of lacuna digest"
                            : "its version is " + std::to_string(version) + ", this lacuna reads version " +
                                  std::to_string(kDigestVersion));
  if (!same_schema(schema.get(), expected.get())) return bad("its columns are not those of its version");
  std::vector<JobRank> ranks;
  for (;;) {
    OwnedArray array;
    if (ArrowArrayStreamGetNext(stream, array.get(), &error) != NANOARROW_OK) return bad(error.message);
    if (array.get()->release == nullptr) break;
    OwnedView view;
    if (ArrowArrayViewInitFromSchema(view.get(), schema.get(), &error) != NANOARROW_OK ||
        ArrowArrayViewSetArray(view.get(), array.get(), &error) != NANOARROW_OK)
      return bad(error.message);
    if (!is_aligned(*view.get())) return bad("its numbers are not aligned");
    if (ArrowArrayViewValidate(view.get(), NANOARROW_VALIDATION_LEVEL_FULL, &error) != NANOARROW_OK)
      return bad(error.message);
    for (std::int64_t i = 0; i < array.get()->length; ++i) {
      JobRank rank;
      RowReader reader(view.get(), i);
      digest_columns(reader, rank, &rank);
      if (!is_consistent(rank)) return bad("it refers to entries that it does not hold");
      ranks.push_back(std::move(rank));
    }
  }
  return ranks;
}

}  // namespace

bool is_digest(const std::string& path) {
  // What is read of a pipe to find out would be missing later, and others may never tell anything.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown) || std::filesystem::file_size(path, unknown) < kArrowHead.size())
    return false;
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::array<char, 8> head{};
  return file != nullptr && std::fread(head.data(), 1, head.size(), file.get()) == head.size() &&
         std::string_view(head.data(), head.size()) == kArrowHead;
}

Result<void> write_digest(const std::vector<JobRank>& ranks, const std::string& path) {
  const auto no_memory = [&] { return fail(ErrorCode::kLimit, "not enough memory", path); };
  OwnedSchema schema;
  if (make_schema(schema.get()) != NANOARROW_OK) return no_memory();
  OwnedArray array;
  if (ArrowArrayInitFromSchema(array.get(), schema.get(), nullptr) != NANOARROW_OK ||
      ArrowArrayStartAppending(array.get()) != NANOARROW_OK)
    return no_memory();
  ArrowErrorCode code = NANOARROW_OK;
  for (const JobRank& rank : ranks) {
    RowAppender row(array.get(), code);
    digest_columns(row, rank, &rank);
    if (code == NANOARROW_OK) code = ArrowArrayFinishElement(array.get());
  }
  OwnedView view;
  if (code != NANOARROW_OK || ArrowArrayFinishBuildingDefault(array.get(), nullptr) != NANOARROW_OK ||
      ArrowArrayViewInitFromSchema(view.get(), schema.get(), nullptr) != NANOARROW_OK ||
      ArrowArrayViewSetArray(view.get(), array.get(), nullptr) != NANOARROW_OK)
    return no_memory();

  std::error_code unknown;
  const bool is_empty_file =
      std::filesystem::is_regular_file(path, unknown) && std::filesystem::file_size(path, unknown) == 0;
  if (std::filesystem::exists(path, unknown) && !is_empty_file && !is_digest(path))
    return fail(ErrorCode::kInvalidArgument, "exists and is not a digest, so it was not replaced", path);
  // Beside it first: a reader never sees half a digest, and a full disk leaves the old one. Nobody else's file ("x").
  const std::string part = path + "." + std::to_string(process_id()) + ".part";
  File file(std::fopen(part.c_str(), "wbx"), std::fclose);
  if (file == nullptr)
    return fail(ErrorCode::kNotWritable, std::string("cannot be written: ") + std::strerror(errno), path);
  ArrowError error{};
  {
    ArrowIpcOutputStream stream{};
    OwnedWriter writer;
    if (ArrowIpcOutputStreamInitFile(&stream, file.get(), 0) != NANOARROW_OK) return no_memory();
    if (ArrowIpcWriterInit(writer.get(), &stream) != NANOARROW_OK) return no_memory();
    code = ArrowIpcWriterStartFile(writer.get(), &error);
    if (code == NANOARROW_OK) code = ArrowIpcWriterWriteSchema(writer.get(), schema.get(), &error);
    if (code == NANOARROW_OK) code = ArrowIpcWriterWriteArrayView(writer.get(), view.get(), &error);
    if (code == NANOARROW_OK) code = ArrowIpcWriterWriteArrayView(writer.get(), nullptr, &error);
    if (code == NANOARROW_OK) code = ArrowIpcWriterFinalizeFile(writer.get(), &error);
  }
  const bool is_closed = std::fclose(file.release()) == 0;
  if (code != NANOARROW_OK || !is_closed || !rename_file(part, path)) {
    const std::string why = code != NANOARROW_OK ? error.message : std::strerror(errno);
    std::remove(part.c_str());
    return fail(ErrorCode::kNotWritable, "cannot be written: " + why, path);
  }
  return {};
}

Result<std::vector<JobRank>> read_digest(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr)
    return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kNotReadable, std::strerror(errno), path);
  std::fseek(file.get(), 0, SEEK_END);
  const long size = std::ftell(file.get());
  if (size < static_cast<long>(kArrowHead.size()) || static_cast<std::uint64_t>(size) > kMostBytes)
    return fail(ErrorCode::kNotATrace, "not a digest that can be read: its size", path);
  std::fseek(file.get(), static_cast<long>(kArrowHead.size()), SEEK_SET);
  ArrowBuffer bytes;
  ArrowBufferInit(&bytes);
  const std::int64_t wanted = size - static_cast<long>(kArrowHead.size());
  if (ArrowBufferResize(&bytes, wanted, 0) != NANOARROW_OK) return fail(ErrorCode::kLimit, "not enough memory", path);
  if (std::fread(bytes.data, 1, static_cast<std::size_t>(wanted), file.get()) != static_cast<std::size_t>(wanted)) {
    ArrowBufferReset(&bytes);
    return fail(ErrorCode::kNotReadable, "it changed while it was read", path);
  }
  ArrowIpcInputStream input{};
  if (ArrowIpcInputStreamInitBuffer(&input, &bytes) != NANOARROW_OK) {
    ArrowBufferReset(&bytes);
    return fail(ErrorCode::kLimit, "not enough memory", path);
  }
  OwnedStream stream;
  if (ArrowIpcArrayStreamReaderInit(stream.get(), &input, nullptr) != NANOARROW_OK) {
    input.release(&input);
    return fail(ErrorCode::kLimit, "not enough memory", path);
  }
  return read_rows(stream.get(), path);
}

}  // namespace lacuna
