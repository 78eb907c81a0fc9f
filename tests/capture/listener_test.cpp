#include "capture/session/listener.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/support/waiting.h"

using namespace lacuna;

TEST_CASE("a signal does not end the wait for what a process says") {
  // As a shell sets it for children that end: no SA_RESTART.
  struct sigaction ignoring {
  }, before{};
  static std::atomic<int> interruptions;
  ignoring.sa_handler = [](int) { ++interruptions; };
  REQUIRE(sigaction(SIGALRM, &ignoring, &before) == 0);
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  std::thread speaker([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    (void)comes_true([] { return interruptions >= 5; });
    (void)!write(ends[1], "hello", 5);
  });
  const itimerval often{{0, 2'000}, {0, 2'000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const auto taken = Listener::take_hello(ends[0], 10'000);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  speaker.join();
  close(ends[1]);
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().cause == "a process connected that is not one of Lacuna's");
}
