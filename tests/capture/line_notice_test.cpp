// Windows that share a line know of each other, and what is seen from there is asked for while the one before comes.
#include "capture/remote/line_notice.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/remote/fields.h"
#include "capture/remote/remote_trace_view.h"

namespace lacuna {
namespace {

struct NoticeFolder {
  NoticeFolder() {
    std::string name = "/tmp/lacuna-notice-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~NoticeFolder() { std::filesystem::remove_all(path); }
  NoticeFolder(const NoticeFolder&) = delete;
  NoticeFolder& operator=(const NoticeFolder&) = delete;
  std::string path;
};

TEST_CASE("a window that waits is known to the others on the same machine, until it has its answer or is gone") {
  const NoticeFolder folder;
  const std::string place_for_it = folder.path + "/a/remote";
  const RemotePlace box{"box", {"ssh"}};
  LineNotice one(place_for_it, box);
  LineNotice two(place_for_it, box);
  const LineNotice other(place_for_it, {"other", {"ssh"}});
  CHECK_FALSE(two.others_wait());
  one.wait(true);
  CHECK(two.others_wait());
  CHECK_FALSE(one.others_wait());  // it is not one of the others
  CHECK_FALSE(other.others_wait());
  two.wait(true);
  CHECK(one.others_wait());
  one.wait(false);
  CHECK_FALSE(two.others_wait());
  two.wait(false);
  {
    LineNotice gone(place_for_it, box);
    gone.wait(true);
    CHECK(two.others_wait());
  }
  CHECK_FALSE(two.others_wait());
  const pid_t child = ::fork();
  if (child == 0) {
    LineNotice there(place_for_it, box);
    there.wait(true);
    ::_exit(one.others_wait() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK_FALSE(two.others_wait());
  LineNotice nowhere("/proc/no/such", box);  // then nobody knows
  nowhere.wait(true);
  CHECK_FALSE(nowhere.others_wait());
}

TEST_CASE("a fetch makes way for a question of another window") {
  const NoticeFolder folder;
  const RemotePlace box{"box", {}};
  const RemoteTraceView fetching([](RemoteTraceView::Picture) {}, std::make_unique<LineNotice>(folder.path, box));
  RemoteTraceView asking([](RemoteTraceView::Picture) {}, std::make_unique<LineNotice>(folder.path, box));
  asking.expect(1);
  CHECK_FALSE(fetching.is_urgent());  // it is read there: that may take long
  RemoteViewHead head;
  head.bytes = 100;
  FieldWriter answer;
  answer.number(static_cast<std::uint64_t>(RemoteViewReply::kComes));
  put(answer, head);
  asking.take({FrameKind::kAnswer, 1, answer.take()});
  CHECK(asking.is_urgent());
  CHECK(fetching.is_urgent());
  asking.begin();  // a new line
  CHECK_FALSE(fetching.is_urgent());
}

}  // namespace
}  // namespace lacuna
