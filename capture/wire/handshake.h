#pragma once
// How a captured process connects. The viewer listens on a Unix stream socket (mode 0600 in
// a folder of mode 0700, its path in LACUNA_SOCKET); the collector connects, sends one Hello with the
// sealed memfd of its segment (SCM_RIGHTS), and keeps the socket open. No further byte and no answer
// follow: the target never waits for the viewer. Each side checks that the other is the same user.

#include <cstdint>

#include "capture/wire/record.h"

namespace lacuna::wire {

inline constexpr char kHelloMagic[8] = {'L', 'A', 'C', 'U', 'N', 'A', 'H', '\0'};

struct Hello {
  char magic[8] = {};
  std::uint32_t version = 0;
  std::uint32_t pid = 0;
};
static_assert(sizeof(Hello) == 16);

// A dormant program (LACUNA_DORMANT) reverses the roles: it listens on an abstract SOCK_SEQPACKET
// socket; a viewer connects and sends a DormantRequest. The answer to kWake is a Hello,
// as above, or a DormantAnswer. The program becomes dormant again on request, or when the viewer is gone. Each side
// checks that the other is the same user.

inline constexpr char kDormantMagic[8] = {'L', 'A', 'C', 'U', 'N', 'A', 'D', '\0'};
/// The socket's name, after the zero byte that makes it abstract: this, the process's own pid, "-", eight hexadecimal
/// digits.
inline constexpr char kDormantSocket[] = "lacuna-dormant-";

enum class DormantWish : std::uint32_t { kWake = 1, kSleep = 2, kAsk = 3 };
struct DormantRequest {
  char magic[8] = {};
  std::uint32_t version = 0;
  DormantWish wish = DormantWish::kAsk;
  std::uint32_t ring_kib = 0;  ///< kWake: size of each thread's ring; 0 = the program's default
  std::uint32_t reserved = 0;
  char capture[64] = {};  ///< kWake: value of kCaptureVariable
};
static_assert(sizeof(DormantRequest) == 88);

enum class DormantState : std::uint32_t { kAsleep = 1, kWatched = 2, kFailed = 3 };
struct DormantAnswer {
  char magic[8] = {};
  std::uint32_t version = 0;
  DormantState state = DormantState::kAsleep;
  std::uint32_t watcher = 0;  ///< kWatched: pid of the viewer
  std::uint32_t reserved = 0;
};
static_assert(sizeof(DormantAnswer) == 24);

/// Environment of a captured process. Children inherit it, so they connect as well after exec.
inline constexpr char kSocketVariable[] = "LACUNA_SOCKET";
/// What to capture, separated by commas: nvtx, cuda, and the opt-in memory (CUDA allocations) and graphs
/// (one record for a whole CUDA graph in place of its kernels). Unset: nvtx,cuda.
inline constexpr char kCaptureVariable[] = "LACUNA_CAPTURE";
/// Size of each thread's ring in KiB, a power of two; for tests and for very fast threads.
inline constexpr char kRingVariable[] = "LACUNA_RING_KB";
/// "wait,warmup,active,repeat": the steps to keep, when the target counts them itself. Unset: all.
inline constexpr char kStepsVariable[] = "LACUNA_STEPS";
/// "1", without LACUNA_SOCKET: nothing is captured until a viewer asks.
inline constexpr char kDormantVariable[] = "LACUNA_DORMANT";
/// Path of a libcupti to use in place of the one found by name.
inline constexpr char kCuptiVariable[] = "LACUNA_CUPTI";
/// "1": the collector reports on stderr what it does.
inline constexpr char kVerboseVariable[] = "LACUNA_VERBOSE";

}  // namespace lacuna::wire
