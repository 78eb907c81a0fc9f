#include "capture/session/recording_spool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "model/base/os/files.h"
#include "model/base/os/folder_tree.h"
#include "model/base/os/user_folders.h"
#include "model/export/framed_bytes.h"
#include "model/export/replace_file.h"

namespace lacuna {

struct RecordingSpool::Shared {
  mutable std::mutex mutex;
  std::vector<Part> parts;                            // ascending; the last one is being written
  std::vector<std::pair<std::uint64_t, Name>> names;  // by offset
  std::vector<Device> devices;
  Nanos base_time_ns = 0;
};

/// Reads events back by their offsets.
class RecordingSpool::Bytes : public ByteSource {
 public:
  explicit Bytes(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    if (offset >= kRunningOffset) return read_running_event(offset, out);
    Part part;
    {
      const std::scoped_lock lock(shared_->mutex);
      const auto after = std::ranges::upper_bound(shared_->parts, offset, {}, &Part::begin);
      if (after == shared_->parts.begin()) return 0;  // forgotten
      part = *std::prev(after);
    }
    const std::uint64_t local = offset - part.begin;
    if (local >= part.size) return 0;
    return part.bytes->read_at(
        local, out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), part.size - local))));
  }
  std::uint64_t size() const override {
    const std::scoped_lock lock(shared_->mutex);
    return shared_->parts.empty() ? 0 : shared_->parts.back().begin + shared_->parts.back().size;
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

Result<std::unique_ptr<RecordingSpool>> RecordingSpool::create(const std::string& parent, BatchSink* batches) {
  if (!make_private_folder(parent))
    return fail(ErrorCode::kNotWritable, errno == EPERM ? "not a folder private to this user" : std::strerror(errno),
                parent);
  std::string folder = parent + "/recording-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return fail(ErrorCode::kNotWritable, std::strerror(errno), parent);
  std::unique_ptr<RecordingSpool> spool(new RecordingSpool(folder, batches));
  spool->lock_ = Descriptor(open((folder + "/" + kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (spool->lock_.is_open()) (void)lock_file(spool->lock_.get());  // without: it is found while we live, no more
  return spool;
}

RecordingSpool::RecordingSpool(std::string folder, BatchSink* batches)
    : folder_(std::move(folder)), batches_(batches), shared_(std::make_shared<Shared>()) {}

RecordingSpool::~RecordingSpool() {
  writer_.reset();
  file_.reset();
  if (!is_kept_) (void)remove_tree(folder_);
  (void)lock_.close();
}

void RecordingSpool::describe(const std::string& command) const {
  std::ofstream(folder_ + "/" + kCommandFile) << command;
}
void RecordingSpool::mark_saved(const std::string& path) const {
  std::error_code error;
  std::ofstream(folder_ + "/" + kSavedFile) << std::filesystem::absolute(path, error).string();
}

void RecordingSpool::begin(Nanos base_time_ns) {
  base_time_ns_ = base_time_ns;
  shared_->base_time_ns = base_time_ns;
  (void)open_part(0);
}

bool RecordingSpool::open_part(std::uint64_t begin) {
  const std::string path = fmt::format("{}/part-{:04}.trace.json.zst", folder_, ++part_number_);
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return false;
  auto bytes = std::make_shared<FramedBytes>(open_for_reading(path));
  if (!bytes->is_open()) return false;
  writer_.reset();
  file_ = std::make_unique<OutputFile>(std::move(*file));
  writer_ = std::make_unique<TraceJsonWriter>(*file_);
  writer_->begin({.base_time_ns = base_time_ns_});
  // So that this part can be opened by itself; save() takes them from memory.
  for (const auto& [key, text] : newest_names_)
    writer_->add(
        StreamedName{static_cast<StreamedName::What>(std::get<0>(key)), std::get<1>(key), std::get<2>(key), text});
  part_begin_ = begin;
  part_first_ = 0;
  ++parts_count_;
  const std::scoped_lock lock(shared_->mutex);
  shared_->parts.push_back({begin, file_->size(), file_->size(), 0, path, std::move(bytes)});
  return true;
}

bool RecordingSpool::can_write() {
  if (file_ != nullptr && file_->ok()) return true;
  ++lost_;
  return false;
}

template <class Event>
void RecordingSpool::send(const Event& event) {
  if (!can_write()) return;
  writer_->add(event);
  if (part_first_ == 0) part_first_ = writer_->offset();
  ++events_;
  if (batches_ == nullptr) return;
  batches_->set_offset(part_begin_ + writer_->offset());
  batches_->add(event);
}

template void RecordingSpool::send(const StreamedSlice&);
template void RecordingSpool::send(const StreamedInstant&);
template void RecordingSpool::send(const StreamedAsync&);
template void RecordingSpool::send(const StreamedFlow&);

void RecordingSpool::add(const StreamedName& name) {
  std::string& newest = newest_names_[{static_cast<int>(name.what), name.pid, name.tid}];
  if (newest == name.name && !newest.empty()) return;
  {
    const std::scoped_lock lock(shared_->mutex);
    if (shared_->names.size() >= kMostNames) return;
  }
  newest = name.name;
  if (!can_write()) return;
  send(name);
  ++names_;
  const std::scoped_lock lock(shared_->mutex);
  shared_->names.emplace_back(part_begin_ + writer_->offset(), Name{name.what, name.pid, name.tid, newest});
}

void RecordingSpool::add(const StreamedDevice& device) {
  if (batches_ != nullptr) batches_->add(device);
  const std::scoped_lock lock(shared_->mutex);
  for (const Device& known : shared_->devices)
    if (known.device.id == device.id) return;
  shared_->devices.push_back({device, std::string(device.name)});
}

std::vector<DeviceProperties> RecordingSpool::devices() const {
  std::vector<DeviceProperties> out;
  const std::scoped_lock lock(shared_->mutex);
  for (const auto& [device, name] : shared_->devices)
    out.push_back({std::to_string(device.id), name, device.memory_bytes, device.compute_major, device.compute_minor,
                   device.multiprocessors});
  return out;
}

void RecordingSpool::flush() {
  if (file_ == nullptr) return;
  file_->flush();
  if (!file_->ok()) return;  // what is known to be there stays so
  const std::scoped_lock lock(shared_->mutex);
  Part& part = shared_->parts.back();
  part.bytes->grow(*file_);
  part.size = file_->size();
  part.size_on_disk = file_->written().file;
  part.first = part_first_ == 0 ? part.size : part_first_;
}

void RecordingSpool::start_part() {
  if (file_ == nullptr || !file_->ok() || part_first_ == 0) return;
  flush();
  (void)open_part(part_begin_ + file_->size());
}

std::uint64_t RecordingSpool::drop_oldest() {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->parts.size() > 1) {
    unlink(shared_->parts.front().path.c_str());
    shared_->parts.erase(shared_->parts.begin());
    --parts_count_;
  }
  return shared_->parts.empty() ? 0 : shared_->parts.front().begin;
}

std::uint64_t RecordingSpool::bytes_written() const {
  const std::scoped_lock lock(shared_->mutex);
  std::uint64_t bytes = 0;
  for (const Part& part : shared_->parts) bytes += part.size_on_disk;
  return bytes;
}

std::shared_ptr<const ByteSource> RecordingSpool::bytes() const {
  return std::make_shared<Bytes>(shared_);
}

Result<void> RecordingSpool::save(const std::string& path, Existing existing,
                                  const TraceJsonWriter::Members& members) const {
  return replace_file(path, existing, [&](OutputFile& out) { return write_to(out, members); });
}

Result<void> RecordingSpool::write_to(OutputFile& out, const TraceJsonWriter::Members& members,
                                      std::span<const HeldEvent> more) const {
  std::vector<Part> parts;
  std::vector<Name> names;  // whose part is gone
  std::vector<Device> devices;
  {
    const std::scoped_lock lock(shared_->mutex);
    parts = shared_->parts;
    for (const auto& [offset, name] : shared_->names)
      if (parts.empty() || offset < parts.front().begin) names.push_back(name);
    devices = shared_->devices;
  }
  TraceJsonWriter writer(out);
  writer.begin({.base_time_ns = base_time_ns_});
  for (const Name& n : names) writer.add(StreamedName{n.what, n.pid, n.tid, n.text});
  for (const Device& d : devices) {
    StreamedDevice device = d.device;
    device.name = d.name;
    writer.add(device);
  }
  for (const HeldEvent& event : more) event.pass_to(writer);
  bool is_first = writer.events() == 0;
  Result<void> copied;
  for (const Part& part : parts) {
    if (part.first >= part.size || !copied) continue;
    if (!std::exchange(is_first, false)) out.write(",\n");
    copied = copy_bytes(*part.bytes, part.first, part.size, out);
  }
  writer.end(members);
  return copied;
}

}  // namespace lacuna
