// What jobs with KINETO_USE_DAEMON and we say to each other, and which of them are meant.
#include "capture/kineto/kineto_messages.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/kineto/job_request.h"
#include "capture/kineto/kineto_request.h"
#include "capture/kineto/kineto_socket.h"
#include "capture/kineto/running_job.h"
#include "capture/session/process_tree.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string kineto_letter(std::string type, const std::string& body) {
  type.resize(32);
  return raw(std::uint64_t{body.size()}) + type + body;
}

std::string poll_body(std::int32_t kind, const std::vector<std::int32_t>& pids) {
  std::string body = raw(kind) + raw(static_cast<std::int32_t>(pids.size())) + raw(std::int64_t{77});
  for (const std::int32_t pid : pids) body += raw(pid);
  return body;
}

RunningJob job_of(int pid, std::int64_t rank, std::vector<int> ancestors = {}) {
  RunningJob job;
  job.pid = job.own_pid = pid;
  job.rank = rank;
  job.ancestors = std::move(ancestors);
  return job;
}

std::vector<int> pids_of(const std::vector<RunningJob>& jobs) {
  std::vector<int> pids;
  for (const RunningJob& job : jobs) pids.push_back(job.pid);
  return pids;
}

}  // namespace

TEST_CASE("messages of jobs") {
  const auto poll = parse_kineto_message(kineto_letter("req", poll_body(3, {12, 7, 1})));
  REQUIRE(poll);
  CHECK(poll->kind == KinetoMessage::Kind::kPoll);
  CHECK(poll->accepts);
  CHECK(poll->cluster_job == 77);
  CHECK(poll->pids == std::vector<int>{12, 7, 1});
  CHECK(parse_kineto_message(kineto_letter("req", poll_body(2, {12})))->accepts);        // 2.15
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", poll_body(1, {12})))->accepts);  // 2.8, busy
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", poll_body(0, {12})))->accepts);  // 2.15, busy
  const auto registered = parse_kineto_message(kineto_letter("ctxt", raw(3) + raw(12) + raw(std::int64_t{5})));
  REQUIRE(registered);
  CHECK(registered->kind == KinetoMessage::Kind::kRegister);
  CHECK(registered->gpu == 3);
  CHECK(registered->pids == std::vector<int>{12});
}

TEST_CASE("messages that are none") {
  const std::string good = kineto_letter("req", poll_body(3, {12, 7}));
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(parse_kineto_message(good.substr(0, size)));
  CHECK_FALSE(parse_kineto_message(good + "x"));
  CHECK_FALSE(parse_kineto_message(kineto_letter("data", poll_body(3, {12}))));
  CHECK_FALSE(parse_kineto_message(kineto_letter("reqs", poll_body(3, {12}))));
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", poll_body(3, {}))));
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", poll_body(3, {0, 12}))));
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", poll_body(3, {-4}))));
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", raw(3) + raw(0x40000000) + raw(std::int64_t{0}) + raw(12))));
  CHECK_FALSE(parse_kineto_message(kineto_letter("req", raw(3) + raw(-1) + raw(std::int64_t{0}) + raw(12))));
  CHECK_FALSE(parse_kineto_message(std::string(kMostKinetoBytes + 1, 'x')));
}

TEST_CASE("requests as Kineto reads them") {
  const KinetoRequest timed{.duration = 2'000'000'000, .stacks = true};
  CHECK(*kineto_text(timed, "/tmp/a.json", 0) ==
        "ACTIVITIES_LOG_FILE=/tmp/a.json\nACTIVITIES_WARMUP_PERIOD_SECS=1\nACTIVITIES_DURATION_MSECS=2000\n"
        "PROFILE_WITH_STACK=true\n");
  // The start is the last word: one that came too late ends the reading.
  CHECK(kineto_text(timed, "/tmp/a.json", 1234)->ends_with("PROFILE_WITH_STACK=true\nPROFILE_START_TIME=1234\n"));
  CHECK(kineto_text({.duration = 1}, "/tmp/a.json", 0)->find("DURATION_MSECS=1\n") != std::string::npos);
  // By steps: no time, so that a job that takes none ignores it in all versions.
  CHECK(*kineto_text({.iterations = 3}, "/tmp/a.json", 99) ==
        "ACTIVITIES_LOG_FILE=/tmp/a.json\nPROFILE_START_ITERATION=0\nACTIVITIES_WARMUP_ITERATIONS=1\n"
        "ACTIVITIES_ITERATIONS=3\nACTIVITIES_DURATION_MSECS=0\n");
  for (const char* bad : {"/t/a#.json", "/t/a=b.json", "/t/a\nPROFILE_WITH_STACK=true.json", "/t/../a.json"})
    CHECK_FALSE(kineto_text(timed, bad, 0));
  // A snapshot's first line gives the file a name of Kineto's: ours comes behind it.
  CHECK(*kineto_text({.duration = 500'000'000, .stacks = true, .snapshot = true}, "/tmp/a.json", 99) ==
        "PROFILE_MEMORY=true\nPROFILE_MEMORY_DURATION_MSECS=500\nACTIVITIES_LOG_FILE=/tmp/a.json\n");
  CHECK(kineto_file_of("/tmp/a.json", 12) == "/tmp/a_12.json");
}

TEST_CASE("which jobs are meant") {
  // torchrun (1), two ranks (2, 3), a worker of rank 1's DataLoader (4), a job without ranks (5).
  std::vector<RunningJob> jobs{job_of(1, -1), job_of(2, 0, {1}), job_of(3, 1, {1}), job_of(4, 1, {3, 1}),
                               job_of(5, -1)};
  mark_launchers(jobs);
  std::vector<std::string> missing;
  CHECK(pids_of(chosen_jobs(*parse_job_choice({"all"}), jobs, missing)) == std::vector<int>{2, 3, 5});
  CHECK(pids_of(chosen_jobs(*parse_job_choice({"ranks", "0-1"}), jobs, missing)) == std::vector<int>{2, 3});
  CHECK(pids_of(chosen_jobs(*parse_job_choice({"rank", "1"}), jobs, missing)) == std::vector<int>{3});
  CHECK(pids_of(chosen_jobs(*parse_job_choice({"4,1"}), jobs, missing)) == std::vector<int>{1, 4});
  CHECK(missing.empty());
  CHECK(pids_of(chosen_jobs(*parse_job_choice({"ranks", "1,9"}), jobs, missing)) == std::vector<int>{3});
  CHECK(missing == std::vector<std::string>{"rank 9: no job here has it"});
  CHECK(parse_job_choice({"ranks", "0-3,7"})->ranks == std::vector<std::int64_t>{0, 1, 2, 3, 7});
  CHECK(parse_job_choice({"12", "13,12"})->pids == std::vector<int>{12, 13});
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{{},
                                                                                   {"x"},
                                                                                   {""},
                                                                                   {"all", "1"},
                                                                                   {"ranks"},
                                                                                   {"ranks", "3-1"},
                                                                                   {"ranks", "1-"},
                                                                                   {"-1"},
                                                                                   {"1,"},
                                                                                   {"99999999999"},
                                                                                   {"ranks", "0-99999999"},
                                                                                   {"1", "ranks", "2"}})
    CHECK_FALSE(parse_job_choice(bad));
}

TEST_CASE("GPUs of a process") {
  CHECK(gpus_of("", -1, {}) == "");
  CHECK(gpus_of("", -1, {0, 2}) == "0,2");
  CHECK(gpus_of("", 1, {0, 2}) == "2");
  CHECK(gpus_of("5", 3, {0}) == "5");  // one for each, as srun and mpirun's wrappers give
  CHECK(gpus_of("4,6", 1, {0, 1}) == "6");
  CHECK(gpus_of("4,6", 7, {}) == "4,6");
  CHECK(gpus_of("GPU-aa,GPU-bb", 0, {}) == "GPU-aa");
}

TEST_CASE("a process by itself") {
  const RunningJob self = describe_job(getpid());
  CHECK(self.pid == getpid());
  CHECK(self.root.empty());
  CHECK_FALSE(self.command.empty());
  CHECK_FALSE(self.ancestors.empty());
  CHECK(self.ancestors.front() == getppid());
  CHECK(is_alive(self));
  RunningJob earlier = self;
  earlier.start -= 1;  // another one that had this pid
  CHECK_FALSE(is_alive(earlier));
  CHECK(why_not_a_job(getpid()) == "it was started without KINETO_USE_DAEMON=1, and is not dormant (lacuna env)");
}

TEST_CASE("a thread of the kernel is called one") {
  int kernel = 0;  // in a container none is seen
  for (const ProcessEntry& entry : all_processes())
    if (entry.is_kernel && kernel == 0) kernel = entry.pid;
  const bool is_seen = arguments_of(2).empty() && std::filesystem::exists("/proc/2");
  CHECK((kernel != 0) == is_seen);
  if (!is_seen) return;
  CHECK(describe_job(kernel).pid == 0);
  CHECK(why_not_a_job(kernel) == "it is a thread of the kernel, not a program");
}

TEST_CASE("the socket: one at a time, of one user, gone with its owner") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/dynolog";
  const int client = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un ours{};
  ours.sun_family = AF_UNIX;
  std::strcpy(ours.sun_path, (folder.path + "/client").c_str());
  REQUIRE(bind(client, reinterpret_cast<sockaddr*>(&ours), sizeof ours) == 0);
  sockaddr_un there{};
  there.sun_family = AF_UNIX;
  std::strcpy(there.sun_path, path.c_str());
  {
    auto socket = KinetoSocket::open(folder.path);
    REQUIRE(socket);
    struct stat found {};
    CHECK(stat(path.c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0600);
    const auto second = KinetoSocket::open(folder.path);
    REQUIRE_FALSE(second);
    CHECK(second.error().cause.find(fmt::format("(process {})", getpid())) != std::string::npos);
    CHECK_FALSE(socket->receive());
    REQUIRE(sendto(client, "hello", 5, 0, reinterpret_cast<sockaddr*>(&there), sizeof there) == 5);
    const auto letter = socket->receive();
    REQUIRE(letter);
    CHECK(letter->bytes == "hello");
    CHECK(letter->pid == getpid());
    CHECK(letter->is_ours);
    CHECK(socket->send(letter->sender, "answer"));
    char got[16];
    CHECK(recv(client, got, sizeof got, 0) == 6);
    // An answer from an unexpected place ends a job.
    CHECK_FALSE(socket->send(std::string("\0dynoconfigclient\0", 18), "answer"));
    CHECK_FALSE(socket->send("/elsewhere/client", "answer"));
  }
  struct stat found {};
  CHECK(stat(path.c_str(), &found) != 0);
  close(client);
  // What a daemon left that was killed is no daemon; what is no socket stays.
  const int dead = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  REQUIRE(bind(dead, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0);
  close(dead);
  CHECK(KinetoSocket::open(folder.path));
  folder.write("dynolog", "a file");
  CHECK_FALSE(KinetoSocket::open(folder.path));
  CHECK_FALSE(KinetoSocket::open(std::string(200, 'x')));
}
