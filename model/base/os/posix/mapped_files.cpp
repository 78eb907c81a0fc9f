#include "model/base/os/mapped_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace lacuna {
namespace {

/// What the handler of a signal reads; entries are written under a lock and never freed.
struct MappedFile {
  std::atomic<std::uintptr_t> begin{0};  // 0: free. Written last, and first when it is given up
  std::atomic<std::size_t> bytes{0};
  std::atomic<int> descriptor{-1};
  std::atomic<std::size_t> offset{0};
  std::atomic<const char*> name{nullptr};
};
struct MappedFiles {
  std::array<MappedFile, 128> entries;
  std::atomic<MappedFiles*> next{nullptr};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

constinit MappedFiles first_mapped_files;
constinit std::atomic_flag is_bus_error_reported;
struct sigaction before_bus_errors {};

/// What those who register need: which entries are free, and which are whose.
struct MappingBook {
  std::mutex lock;
  std::set<std::string, std::less<>> names;  // for as long as the process runs: there are few
  std::vector<MappedFile*> free;
  std::unordered_map<std::uintptr_t, MappedFile*> used;
  MappedFiles* last = nullptr;
};
MappingBook& mapping_book() {
  static auto* const book = new MappingBook;  // mappings may go after main()
  return *book;
}

// From here on: what a handler may call, and nothing else.

/// Calls visit(entry) until it returns true; returns whether it did.
template <class Visit>
bool any_mapping(Visit&& visit) {
  for (MappedFiles* files = &first_mapped_files; files != nullptr; files = files->next.load(std::memory_order_acquire))
    for (MappedFile& entry : files->entries)
      if (visit(entry)) return true;
  return false;
}

/// A sentence without memory of its own.
class SignalText {
 public:
  SignalText& operator<<(const char* text) {
    const std::size_t length = std::min(std::strlen(text), sizeof text_ - length_);
    std::memcpy(text_ + length_, text, length);
    length_ += length;
    return *this;
  }
  SignalText& operator<<(std::uint64_t number) {
    char digits[24];
    char* at = digits + sizeof digits;
    *--at = '\0';
    do {
      *--at = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return *this << at;
  }
  void write() const {
    for (std::size_t at = 0; at < length_;) {
      const ssize_t written = ::write(STDERR_FILENO, text_ + at, length_ - at);
      if (written <= 0) return;
      at += static_cast<std::size_t>(written);
    }
  }

 private:
  char text_[4608];  // a path is 4096 bytes at most
  std::size_t length_ = 0;
};

/// "FILE was cut to 4096 bytes while it was read at byte 8192"
void explain(const MappedFile& file, std::uint64_t byte) {
  const int descriptor = file.descriptor;
  SignalText text;
  text << "lacuna: " << file.name.load();
  struct stat status {};
  struct statfs system {};
  char one = 0;
  if (::fstat(descriptor, &status) == 0 && static_cast<std::uint64_t>(status.st_size) <= byte) {
    text << " was cut to " << static_cast<std::uint64_t>(status.st_size) << " bytes while it was read";
  } else if (::pread(descriptor, &one, 1, static_cast<off_t>(byte)) < 0 && errno == EIO) {
    text << ": the disk failed while it was read";
  } else if (::fstatfs(descriptor, &system) == 0 && system.f_bavail == 0) {
    text << ": the disk is full; it was used";
  } else {
    text << ": the disk or memory failed while it was used";
  }
  text << " at byte " << byte << "\n";
  text.write();
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // What a process sends has no address.
  const bool is_ours = info->si_code > 0 && any_mapping([&](const MappedFile& file) {
                         const std::uintptr_t begin = file.begin.load(std::memory_order_acquire);
                         if (begin == 0 || address < begin || address - begin >= file.bytes) return false;
                         // The first thread tells it and ends the process; others that meet the same wait for that.
                         while (is_bus_error_reported.test_and_set()) ::pause();
                         explain(file, file.offset + (address - begin));
                         return true;
                       });
  if (is_ours) ::_exit(1);
  errno = saved;
  if ((before_bus_errors.sa_flags & SA_SIGINFO) != 0) return before_bus_errors.sa_sigaction(signal, info, context);
  if (before_bus_errors.sa_handler != SIG_DFL && before_bus_errors.sa_handler != SIG_IGN)
    return before_bus_errors.sa_handler(signal);
  // What touched the page does so again, or the signal comes again: now as if nobody had asked for it.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

}  // namespace

void note_mapping(const void* begin, std::size_t bytes, int descriptor, std::size_t offset, std::string_view name) {
  MappingBook& book = mapping_book();
  const std::scoped_lock lock(book.lock);
  if (book.free.empty()) {
    auto* const more = book.last == nullptr ? &first_mapped_files : new MappedFiles;
    for (MappedFile& entry : more->entries) book.free.push_back(&entry);
    if (book.last != nullptr) book.last->next.store(more, std::memory_order_release);
    book.last = more;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto [used, is_new] = book.used.try_emplace(address, book.free.back());
  if (is_new) book.free.pop_back();
  MappedFile& entry = *used->second;
  const auto known = book.names.find(name);
  entry.bytes = bytes;
  entry.descriptor = descriptor;
  entry.offset = offset;
  entry.name = (known != book.names.end() ? known : book.names.emplace(name).first)->c_str();
  entry.begin.store(address, std::memory_order_release);
}

void forget_mapping(const void* begin) {
  MappingBook& book = mapping_book();
  const std::scoped_lock lock(book.lock);
  const auto used = book.used.find(reinterpret_cast<std::uintptr_t>(begin));
  if (used == book.used.end()) return;
  used->second->begin = 0;
  book.free.push_back(used->second);
  book.used.erase(used);
}

void explain_bus_errors() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &before_bus_errors);
}

}  // namespace lacuna
