#include <atomic>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/tables/report_format.h"
#include "capture/remote/far_server.h"
#include "capture/remote/far_side.h"
#include "capture/remote/fields.h"
#include "capture/remote/frame.h"
#include "capture/remote/line.h"
#include "capture/remote/packed.h"
#include "capture/remote/remote_files.h"
#include "capture/remote/remote_place.h"

namespace lacuna {
namespace {

TEST_CASE("frames come apart wherever the stream is cut") {
  const std::string stream = std::string(kPreamble) + encode_hello() + encode_frame(FrameKind::kOut, 7, "text") +
                             encode_frame(FrameKind::kDone, 7, "");
  for (std::size_t step = 1; step < stream.size(); ++step) {
    FrameReader reader(false);
    Frame frame;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      reader.feed(std::string_view(stream).substr(at, step));
      while (reader.next(frame)) frames.push_back(frame);
    }
    REQUIRE(frames.size() == 3);
    CHECK(problem_of_hello(frames[0]).empty());
    CHECK(frames[1].kind == FrameKind::kOut);
    CHECK(frames[1].request == 7);
    CHECK(frames[1].payload == "text");
    CHECK(frames[2].payload.empty());
    CHECK(reader.problem().empty());
  }
}

TEST_CASE("what a login script says is passed over by the window's side alone") {
  const std::string stream = "Welcome to box!\n" + std::string(kPreamble) + encode_hello();
  Frame frame;
  FrameReader here(true);
  here.feed(stream);
  CHECK(here.next(frame));
  CHECK(here.noise() == "Welcome to box!\n");
  FrameReader there(false);
  there.feed(stream);
  CHECK_FALSE(there.next(frame));
  CHECK_FALSE(there.problem().empty());
  FrameReader endless(true);
  endless.feed(std::string(kMostNoise + 1, 'x'));
  CHECK_FALSE(endless.next(frame));
  CHECK_FALSE(endless.problem().empty());
}

TEST_CASE("what is no frame is told in words, for good") {
  const std::string begin(kPreamble);
  std::string unknown = encode_frame(FrameKind::kOut, 1, "x");
  unknown[4] = 99;
  std::string flagged = encode_frame(FrameKind::kOut, 1, "x");
  flagged[6] = 1;
  for (const std::string& bytes : {std::string("\xff\xff\xff\x7f\x05\0\0\0\0\0\0\0", 12), unknown, flagged}) {
    FrameReader reader(false);
    Frame frame;
    reader.feed(begin + bytes);
    CHECK_FALSE(reader.next(frame));
    CHECK_FALSE(reader.problem().empty());
    reader.feed(encode_hello());
    CHECK_FALSE(reader.next(frame));
  }
  // The longest is one; one byte more is none.
  FrameReader reader(false);
  Frame frame;
  reader.feed(begin + encode_frame(FrameKind::kData, 1, std::string(kMostPayload, 'x')));
  CHECK(reader.next(frame));
  reader.feed(encode_frame(FrameKind::kData, 1, std::string(kMostPayload + 1, 'x')));
  CHECK_FALSE(reader.next(frame));
  CHECK_FALSE(reader.problem().empty());
}

TEST_CASE("a hello of another version is refused with both versions") {
  const Frame other{FrameKind::kHello, 0, FieldWriter().number(kRemoteVersion + 1).text("lacuna 9.9").take()};
  CHECK(problem_of_hello(other).find("lacuna 9.9") != std::string::npos);
  CHECK(problem_of_hello(other).find(std::to_string(kRemoteVersion + 1)) != std::string::npos);
  CHECK_FALSE(problem_of_hello({FrameKind::kHello, 0, "short"}).empty());
  CHECK_FALSE(problem_of_hello({FrameKind::kDone, 0, {}}).empty());
}

TEST_CASE("fields that are not there are nothing, and that is known") {
  const std::string bytes = FieldWriter().number(5).text("abc").take();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    FieldReader reader(std::string_view(bytes).substr(0, size));
    (void)reader.number();
    CHECK(reader.text().empty());
    CHECK_FALSE(reader.ok());
  }
  FieldReader whole(bytes);
  CHECK(whole.number() == 5);
  CHECK(whole.text() == "abc");
  CHECK((whole.ok() && whole.is_at_end()));
  const std::string most = FieldWriter().number(~0ull).take();
  FieldReader huge(most);
  CHECK(huge.text().empty());
  CHECK_FALSE(huge.ok());
}

TEST_CASE("packed pieces unpack one after the other, and never to more than a piece holds") {
  PackedWriter writer;
  PackedReader reader;
  std::string out;
  std::string text;
  std::size_t packed = 0;
  for (int i = 0; i < 200; ++i) {
    text = "{\"ph\":\"X\",\"name\":\"step\",\"ts\":" + std::to_string(i * 1000) + "}";
    const std::string piece = writer.pack(text);
    packed += piece.size();
    REQUIRE(reader.unpack(piece, out));
    CHECK(out == text);
  }
  CHECK(packed < 200 * 30);  // each knows those before it
  const std::string largest(kMostUnpacked, 'a');
  REQUIRE(reader.unpack(writer.pack(largest), out));
  CHECK(out == largest);
  CHECK_FALSE(reader.unpack(writer.pack(largest + "a"), out));  // a bomb
  CHECK_FALSE(reader.unpack(writer.pack("x"), out));            // for good
  PackedReader other;
  CHECK_FALSE(other.unpack("no such stream", out));
}

TEST_CASE("names from the other side lead nowhere") {
  const RemotePlace place{"box", {}};
  CHECK(local_name(place, "/data/run 1/rank0.json.gz") == "box:rank0.json.gz");
  CHECK(local_name(place, "/x/..") == "box:_.");
  CHECK(local_name(place, "/x/") == "box:trace");
  CHECK(local_name(place, "/x/a\nb*.json") == "box:a_b_.json");
  CHECK(local_name({"../..", {}}, "/x/a.json") == "_._..:a.json");
  CHECK(local_name({"", {"docker", "exec", "-i", "pod/1"}}, "/a.json") == "docker exec -i pod_1:a.json");
  const std::string name = local_name(place, "/" + std::string(5000, 'n') + ".json.gz");
  CHECK(name.size() < 250);
  CHECK(name.ends_with("n.json.gz"));
}

TEST_CASE("a host is no option, and ssh gets its words quoted") {
  CHECK_FALSE(make_remote_place("-oProxyCommand=evil", ""));
  CHECK_FALSE(make_remote_place("a b", ""));
  CHECK_FALSE(make_remote_place("", ""));
  CHECK_FALSE(make_remote_place("box", "docker 'exec"));
  const auto words = words_to_run(*make_remote_place("box", ""), "echo $HOME");
  REQUIRE(words.size() == 6);
  CHECK(words[0] == "ssh");
  CHECK(words[4] == "box");
  CHECK(words[5].find("'echo $HOME'") != std::string::npos);
  const auto docker = words_to_run(*make_remote_place("", "docker exec -i pod"), "echo $HOME");
  REQUIRE(docker.size() == 7);
  CHECK(docker[6] == "echo $HOME");
  const auto port = words_to_run(*make_remote_place("", "/usr/bin/ssh -p 22 box"), "true");
  CHECK(port.size() == 5);
}

TEST_CASE("a line that takes nothing is given up, one that ends is told") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  RemoteLine line(ends[0], ends[0], false);
  line.set_stall_ms(50);
  Frame frame;
  CHECK(line.receive(frame, 1) == RemoteLine::Got::kNothing);
  bool is_sent = true;
  for (int i = 0; i < 100 && is_sent; ++i) is_sent = line.send(FrameKind::kData, 1, std::string(100'000, 'x'));
  CHECK_FALSE(is_sent);
  CHECK_FALSE(line.is_open());
  CHECK(line.receive(frame, 1) == RemoteLine::Got::kGone);
  close(ends[1]);
}

TEST_CASE("a far side that says nothing is given up, before its hello and after") {
  const RemotePatience short_patience{.hello_ms = 300, .silence_ms = 300};
  const auto far = FarSide::connect(*make_remote_place("box", "sh -c 'exec sleep 30' sh"), nullptr, short_patience);
  REQUIRE_FALSE(far);
  CHECK(far.error().cause.find("nobody answers") != std::string::npos);
  // It says hello, and then what a shell can: nothing.
  const std::string path = "/tmp/lacuna-hello-" + std::to_string(getpid());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string hello = std::string(kPreamble) + encode_hello();
  REQUIRE(write(file, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size()));
  close(file);
  const auto silent = FarSide::connect(*make_remote_place("box", "sh -c 'cat " + path + "; exec sleep 30' sh"), nullptr,
                                       short_patience);
  unlink(path.c_str());
  REQUIRE(silent);
  const auto listing = (*silent)->list("/");
  REQUIRE_FALSE(listing);
  CHECK(listing.error().cause.find("nobody answers") != std::string::npos);
  CHECK((*silent)->is_line_lost());
}

TEST_CASE("a cancelled connection ends at once") {
  const std::atomic<bool> cancel{true};
  const auto far = FarSide::connect(*make_remote_place("box", "sh -c 'exec sleep 30' sh"), &cancel);
  REQUIRE_FALSE(far);
  CHECK(far.error().code == ErrorCode::kCancelled);
}

TEST_CASE("a window's side that says nothing is given up by the far side") {
  for (const bool says_hello : {false, true}) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const std::string hello = std::string(kPreamble) + encode_hello();
    if (says_hello) REQUIRE(write(ends[1], hello.data(), hello.size()) > 0);
    const std::string why = FarServer(ends[0], ends[0], kReportFormat, 200).serve();
    CHECK(why == (says_hello ? "the other side has disconnected" : "nobody says hello"));
    close(ends[1]);
  }
}

}  // namespace
}  // namespace lacuna
