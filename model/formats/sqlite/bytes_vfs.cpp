// SQLite's file system for one file, which may lie in an archive: bytes to read, and no other file beside it.
#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>
#include <sqlite3.h>

#include "model/formats/sqlite/foreign_database.h"

namespace lacuna {
namespace {

struct BytesFile {
  sqlite3_file base;
  const ByteSource* bytes;
};

const ByteSource& source_of_file(sqlite3_file* file) {
  return *reinterpret_cast<BytesFile*>(file)->bytes;
}

int read_bytes(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  const std::span<char> wanted(static_cast<char*>(out), static_cast<std::size_t>(size));
  const std::size_t got = source_of_file(file).read_at(static_cast<std::uint64_t>(offset), wanted);
  if (got == wanted.size()) return SQLITE_OK;
  std::memset(wanted.data() + got, 0, wanted.size() - got);  // as SQLite asks
  return SQLITE_IOERR_SHORT_READ;
}

constexpr sqlite3_io_methods kBytesMethods{
    .iVersion = 1,
    .xClose = [](sqlite3_file*) { return SQLITE_OK; },
    .xRead = read_bytes,
    .xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; },
    .xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; },
    .xSync = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xFileSize =
        [](sqlite3_file* file, sqlite3_int64* size) {
          *size = static_cast<sqlite3_int64>(source_of_file(file).size());
          return SQLITE_OK;
        },
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock =
        [](sqlite3_file*, int* is_reserved) {
          *is_reserved = 0;
          return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 0; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; },
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

/// Files for sorting and journals are refused.
int open_bytes(sqlite3_vfs* vfs, sqlite3_filename, sqlite3_file* file, int flags, int* flags_out) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
  auto* opened = reinterpret_cast<BytesFile*>(file);
  opened->bytes = static_cast<const ByteSource*>(vfs->pAppData);
  opened->base.pMethods = &kBytesMethods;
  if (flags_out != nullptr) *flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

}  // namespace

struct ForeignDatabase::FileSystem {
  explicit FileSystem(const ByteSource& bytes) {
    static std::atomic<std::uint64_t> made = 0;
    name = fmt::format("lacuna bytes {}", made++);
    // Time and chance are the system's.
    vfs = *sqlite3_vfs_find(nullptr);
    vfs.iVersion = 1;
    vfs.szOsFile = sizeof(BytesFile);
    vfs.mxPathname = 64;
    vfs.zName = name.c_str();
    vfs.pAppData = const_cast<ByteSource*>(&bytes);
    vfs.xOpen = open_bytes;
    vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; };
    vfs.xAccess = [](sqlite3_vfs*, const char*, int, int* is_there) {
      *is_there = 0;
      return SQLITE_OK;
    };
    vfs.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
      sqlite3_snprintf(size, out, "%s", path);
      return SQLITE_OK;
    };
    sqlite3_vfs_register(&vfs, 0);
  }
  ~FileSystem() { sqlite3_vfs_unregister(&vfs); }
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  std::string name;
  sqlite3_vfs vfs;
};

ForeignDatabase::ForeignDatabase(const ByteSource& bytes)
    : file_system_(std::make_unique<FileSystem>(bytes)), file_bytes_(bytes.size()) {}

ForeignDatabase::~ForeignDatabase() {
  sqlite3_close_v2(connection_);
}

int ForeignDatabase::connect() {
  return sqlite3_open_v2("database", &connection_, SQLITE_OPEN_READONLY, file_system_->name.c_str());
}

}  // namespace lacuna
