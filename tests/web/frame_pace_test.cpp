#include "app/web/wire/frame_pace.h"

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("one frame is under way until the page has drawn it") {
  FramePace pace;
  CHECK(pace.may_send());
  pace.note_sent(1, 0.0);
  CHECK(!pace.may_send());
  pace.note_answer(1, 0.005);
  CHECK(pace.may_send());
  pace.note_sent(2, 0.01);
  CHECK(!pace.may_send());
  pace.note_answer(1, 0.02);  // of an old one
  CHECK(!pace.may_send());
}

TEST_CASE("a far line has a frame in each direction, a slow one does not") {
  FramePace far;
  double now = 0;
  std::uint32_t frame = 0;
  for (int i = 0; i < 5; ++i) {
    far.note_sent(++frame, now);
    far.note_answer(frame, now += 0.040);
  }
  CHECK(far.allowed() == 2);
  far.note_sent(++frame, now);
  CHECK(far.may_send());
  far.note_sent(++frame, now);
  CHECK(!far.may_send());
  far.note_answer(frame, now + 0.04);  // the page drew the newest, and not the one before
  CHECK(far.may_send());

  // Nearby; a single frame that takes long does not make it a far one.
  FramePace slow;
  for (int i = 0; i < 20; ++i) {
    slow.note_sent(++frame, now);
    slow.note_answer(frame, now += i % 4 == 0 ? 0.3 : 0.004);
  }
  CHECK(slow.allowed() == 1);

  // Nor does a page that takes long to draw.
  FramePace slow_page;
  for (int i = 0; i < 5; ++i) {
    slow_page.note_sent(++frame, now);
    slow_page.note_answer(frame, now += 0.1, 0.095);
  }
  CHECK(slow_page.allowed() == 1);
}

TEST_CASE("no more than three, however far") {
  FramePace pace;
  double now = 0;
  for (std::uint32_t frame = 1; frame < 30; ++frame) {
    pace.note_sent(frame, now);
    pace.note_answer(frame, now += 2.0);
  }
  CHECK(pace.allowed() == 3);
}

TEST_CASE("numbers of frames go round") {
  FramePace pace;
  pace.note_sent(0xffffffffu, 0);
  pace.note_answer(0xffffffffu, 0.001);
  CHECK(pace.may_send());
  pace.note_sent(0, 0.01);
  pace.note_answer(0, 0.011);
  CHECK(pace.may_send());
}
