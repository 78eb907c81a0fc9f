#include "model/arrow/table_writer.h"

#include <cerrno>
#include <cstring>

#include "model/arrow/owned.h"
#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

/// Hands nanoarrow's bytes to a sink.
ArrowErrorCode write_to_sink(ArrowIpcOutputStream* stream, const void* bytes, std::int64_t size, std::int64_t* written,
                             ArrowError* error) {
  const auto& sink = *static_cast<const ArrowTableWriter::Sink*>(stream->private_data);
  if (!sink({static_cast<const char*>(bytes), static_cast<std::size_t>(size)})) {
    ArrowErrorSet(error, "it cannot be written");
    return EIO;
  }
  *written = size;
  return NANOARROW_OK;
}

void release_sink(ArrowIpcOutputStream* stream) {
  stream->release = nullptr;
}

ArrowErrorCode set_metadata(ArrowSchema* schema, const ArrowTableWriter::Facts& facts) {
  if (facts.empty()) return NANOARROW_OK;
  ArrowBuffer metadata;
  NANOARROW_RETURN_NOT_OK(ArrowMetadataBuilderInit(&metadata, nullptr));
  ArrowErrorCode code = NANOARROW_OK;
  for (const auto& [key, value] : facts)
    if (code == NANOARROW_OK)
      code = ArrowMetadataBuilderAppend(&metadata, {key.data(), static_cast<std::int64_t>(key.size())},
                                        {value.data(), static_cast<std::int64_t>(value.size())});
  if (code == NANOARROW_OK) code = ArrowSchemaSetMetadata(schema, reinterpret_cast<const char*>(metadata.data));
  ArrowBufferReset(&metadata);
  return code;
}

ArrowType type_of(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kNull:
      return NANOARROW_TYPE_NA;
    case ArrowKind::kInteger:
      return NANOARROW_TYPE_INT64;
    case ArrowKind::kReal:
      return NANOARROW_TYPE_DOUBLE;
    case ArrowKind::kText:
      return NANOARROW_TYPE_STRING;
  }
  return NANOARROW_TYPE_NA;
}

ArrowErrorCode make_table_schema(ArrowSchema* schema, const std::vector<ArrowField>& fields,
                                 const ArrowTableWriter::Facts& facts) {
  ArrowSchemaInit(schema);
  NANOARROW_RETURN_NOT_OK(ArrowSchemaSetTypeStruct(schema, static_cast<std::int64_t>(fields.size())));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ArrowSchema* child = schema->children[i];
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetType(child, type_of(fields[i].kind)));
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetName(child, fields[i].name.c_str()));
    ArrowTableWriter::Facts about;
    if (!fields[i].unit.empty()) about.emplace_back("unit", fields[i].unit);
    if (!fields[i].meaning.empty()) about.emplace_back("description", fields[i].meaning);
    NANOARROW_RETURN_NOT_OK(set_metadata(child, about));
  }
  return set_metadata(schema, facts);
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    made.append(length > 0 ? text.substr(i, length) : std::string_view("\xef\xbf\xbd"));
    i += length > 0 ? length : 1;
  }
  return made;
}

/// Offsets of a batch's texts are 32 bits wide.
constexpr std::int64_t kMostTextBytes = std::int64_t{1} << 30;

}  // namespace

struct ArrowTableWriter::State {
  OwnedSchema schema;
  OwnedArray batch;
  OwnedWriter writer;
  std::vector<ArrowField> fields;
  Format format = Format::kFile;
  Sink sink;
  ArrowErrorCode code = NANOARROW_OK;
  ArrowError error{};
  bool is_refused = false;
  std::size_t column = 0;
  std::int64_t batch_rows = 0;
  std::int64_t text_bytes = 0;
  std::uint64_t rows = 0;

  void check(ArrowErrorCode next) {
    if (code == NANOARROW_OK) code = next;
  }
  ArrowArray* next() { return batch.get()->children[column++]; }

  void start_batch() {
    release_array(batch.get());
    *batch.get() = ArrowArray{};
    batch_rows = text_bytes = 0;
    check(ArrowArrayInitFromSchema(batch.get(), schema.get(), &error));
    if (code == NANOARROW_OK) check(ArrowArrayStartAppending(batch.get()));
  }

  void write_batch() {
    if (code != NANOARROW_OK) return;
    OwnedView view;
    check(ArrowArrayFinishBuildingDefault(batch.get(), &error));
    if (code == NANOARROW_OK) check(ArrowArrayViewInitFromSchema(view.get(), schema.get(), &error));
    if (code == NANOARROW_OK) check(ArrowArrayViewSetArray(view.get(), batch.get(), &error));
    if (code == NANOARROW_OK) check(ArrowIpcWriterWriteArrayView(writer.get(), view.get(), &error));
  }
};

ArrowTableWriter::ArrowTableWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArrowTableWriter::~ArrowTableWriter() = default;

Result<std::unique_ptr<ArrowTableWriter>> ArrowTableWriter::start(const std::vector<ArrowField>& fields, Format format,
                                                                  const Facts& facts, Sink sink) {
  auto state = std::make_unique<State>();
  State& s = *state;
  s.fields = fields;
  s.format = format;
  s.sink = [given = std::move(sink), refused = &s.is_refused](std::string_view bytes) {
    if (*refused || !given(bytes)) *refused = true;
    return !*refused;
  };
  ArrowIpcOutputStream stream{};
  stream.write = write_to_sink;
  stream.release = release_sink;
  stream.private_data = &s.sink;
  s.check(make_table_schema(s.schema.get(), fields, facts));
  if (s.code == NANOARROW_OK) s.check(ArrowIpcWriterInit(s.writer.get(), &stream));
  if (s.code == NANOARROW_OK && format == Format::kFile) s.check(ArrowIpcWriterStartFile(s.writer.get(), &s.error));
  if (s.code == NANOARROW_OK) s.check(ArrowIpcWriterWriteSchema(s.writer.get(), s.schema.get(), &s.error));
  if (s.code == NANOARROW_OK) s.start_batch();
  if (s.code == ENOMEM) return fail(ErrorCode::kLimit, "not enough memory");
  return std::unique_ptr<ArrowTableWriter>(new ArrowTableWriter(std::move(state)));
}

void ArrowTableWriter::integer(std::int64_t value) {
  State& s = *state_;
  if (!ok()) return;
  const bool is_real = s.fields[s.column].kind == ArrowKind::kReal;
  s.check(is_real ? ArrowArrayAppendDouble(s.next(), static_cast<double>(value))
                  : ArrowArrayAppendInt(s.next(), value));
}

void ArrowTableWriter::real(double value) {
  State& s = *state_;
  if (ok()) s.check(ArrowArrayAppendDouble(s.next(), value));
}

void ArrowTableWriter::text(std::string_view value) {
  State& s = *state_;
  if (!ok()) return;
  const std::string repaired = is_utf8(value) ? std::string() : as_utf8(value);
  if (!repaired.empty()) value = repaired;
  s.text_bytes += static_cast<std::int64_t>(value.size());
  s.check(ArrowArrayAppendString(s.next(), {value.data(), static_cast<std::int64_t>(value.size())}));
}

void ArrowTableWriter::null() {
  State& s = *state_;
  if (ok()) s.check(ArrowArrayAppendNull(s.next(), 1));
}

void ArrowTableWriter::end_row() {
  State& s = *state_;
  if (!ok()) return;
  s.column = 0;
  s.check(ArrowArrayFinishElement(s.batch.get()));
  ++s.rows;
  if (++s.batch_rows < kBatchRows && s.text_bytes < kMostTextBytes) return;
  s.write_batch();
  s.start_batch();
}

std::uint64_t ArrowTableWriter::rows() const {
  return state_->rows;
}

bool ArrowTableWriter::ok() const {
  return state_->code == NANOARROW_OK;
}

Result<void> ArrowTableWriter::finish() {
  State& s = *state_;
  if (s.batch_rows > 0) s.write_batch();
  if (ok()) s.check(ArrowIpcWriterWriteArrayView(s.writer.get(), nullptr, &s.error));
  if (ok() && s.format == Format::kFile) s.check(ArrowIpcWriterFinalizeFile(s.writer.get(), &s.error));
  if (ok()) return {};
  if (s.is_refused) return fail(ErrorCode::kNotWritable, "the table cannot be written");
  if (s.code == ENOMEM) return fail(ErrorCode::kLimit, "not enough memory");
  return fail(ErrorCode::kLimit, std::string("the table cannot be written: ") +
                                     (s.error.message[0] == '\0' ? std::strerror(s.code) : s.error.message));
}

}  // namespace lacuna
