#include "app/gui/platform/input_queue.h"

#include <random>
#include <utility>
#include <vector>

#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

namespace lacuna {
namespace {

using InputEvent = InputQueue::Event;

InputEvent key_event(int key, int scancode, int action) {
  return {.kind = InputEvent::Kind::kKey, .key = key, .scancode = scancode, .action = action};
}
InputEvent typed_event(unsigned codepoint) {
  return {.kind = InputEvent::Kind::kCharacter, .codepoint = codepoint};
}

struct Batch {
  std::vector<InputEvent> told;
  std::vector<InputEvent> handled;
};

template <class RunsCommand>
Batch next_batch(InputQueue& queue, RunsCommand runs_command) {
  Batch batch;
  queue.feed([&](const InputEvent& e) { batch.told.push_back(e); },
             [&](const InputEvent& e) {
               batch.handled.push_back(e);
               return runs_command(e);
             });
  return batch;
}

Batch next_batch(InputQueue& queue) {
  return next_batch(queue, [](const InputEvent&) { return false; });
}

InputEvent any_event(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  InputEvent e;
  e.kind = static_cast<InputEvent::Kind>(below(7));
  e.action = below(3);
  if (e.kind == InputEvent::Kind::kKey) {
    constexpr int kKeys[] = {GLFW_KEY_UNKNOWN,
                             GLFW_KEY_UNKNOWN,
                             GLFW_KEY_A,
                             GLFW_KEY_ENTER,
                             GLFW_KEY_LEFT_SHIFT,
                             GLFW_KEY_RIGHT_SUPER,
                             GLFW_KEY_LAST,
                             GLFW_KEY_WORLD_1,
                             0,
                             -7};
    e.key = kKeys[below(10)];
    e.scancode = below(4) == 0 ? -1 : below(256);
  } else if (e.kind == InputEvent::Kind::kButton) {
    e.key = below(9) - 1;
    e.action = below(2);
  } else if (e.kind == InputEvent::Kind::kCharacter) {
    e.codepoint = static_cast<unsigned>(below(0x110000));
  } else {
    e.key = below(2);
  }
  return e;
}

}  // namespace

TEST_CASE("a key that GLFW does not know leaves the queue running") {
  InputQueue queue;
  queue.push(key_event(GLFW_KEY_UNKNOWN, 123, GLFW_PRESS));
  queue.push(key_event(GLFW_KEY_UNKNOWN, 123, GLFW_RELEASE));
  queue.push(key_event(GLFW_KEY_A, 38, GLFW_PRESS));
  CHECK(next_batch(queue).told.size() == 1);
  CHECK(next_batch(queue).told.size() == 2);
  CHECK(queue.empty());
}

TEST_CASE("the character of a press that ran a command is not told") {
  InputQueue queue;
  queue.push(key_event(GLFW_KEY_M, 58, GLFW_PRESS));
  queue.push(typed_event('M'));
  queue.push(key_event(GLFW_KEY_M, 58, GLFW_RELEASE));
  queue.push(key_event(GLFW_KEY_A, 38, GLFW_PRESS));
  queue.push(typed_event('a'));
  std::size_t characters = 0;
  for (int frame = 0; frame < 3; ++frame) {
    const Batch batch = next_batch(queue, [](const InputEvent& e) {
      return e.kind == InputEvent::Kind::kKey && e.key == GLFW_KEY_M && e.action == GLFW_PRESS;
    });
    for (const InputEvent& e : batch.told) characters += e.kind == InputEvent::Kind::kCharacter;
  }
  CHECK(queue.empty());
  CHECK(characters == 1);
}

TEST_CASE("a character that comes a frame after its key is not seen together with the next key or modifier") {
  for (const int next : {GLFW_KEY_LEFT_CONTROL, GLFW_KEY_ENTER}) {
    InputQueue queue;
    queue.push(key_event(GLFW_KEY_APOSTROPHE, 48, GLFW_PRESS));
    CHECK(next_batch(queue).told.size() == 1);
    queue.push(typed_event('\''));
    queue.push(key_event(GLFW_KEY_APOSTROPHE, 48, GLFW_RELEASE));
    queue.push(key_event(next, 9, GLFW_PRESS));
    CHECK(next_batch(queue).told.size() == 2);
    CHECK(next_batch(queue).told.size() == 1);
    CHECK(queue.empty());
  }
}

TEST_CASE("a key that is pressed twice within a frame is two presses") {
  InputQueue queue;
  for (int i = 0; i < 2; ++i) {
    queue.push(key_event(GLFW_KEY_BACKSPACE, 22, GLFW_PRESS));
    queue.push(key_event(GLFW_KEY_BACKSPACE, 22, GLFW_RELEASE));
  }
  for (int i = 0; i < 4; ++i) CHECK(next_batch(queue).told.size() == 1);
  CHECK(queue.empty());
}

TEST_CASE("a release of a key that was pressed before the window had the focus is taken") {
  for (const int key : {GLFW_KEY_UNKNOWN, GLFW_KEY_A, GLFW_KEY_LEFT_CONTROL}) {
    InputQueue queue;
    queue.push(key_event(key, 9, GLFW_RELEASE));
    CHECK(next_batch(queue).told.size() == 1);
    CHECK(queue.empty());
  }
}

TEST_CASE("unknown keys are told apart by their scancodes") {
  InputQueue queue;
  queue.push(key_event(GLFW_KEY_UNKNOWN, 1, GLFW_REPEAT));
  queue.push(key_event(GLFW_KEY_UNKNOWN, 2, GLFW_REPEAT));  // another key: kept
  queue.push(key_event(GLFW_KEY_UNKNOWN, 1, GLFW_REPEAT));  // the same one: taken once a frame
  CHECK(next_batch(queue).told.size() == 1);
  CHECK(next_batch(queue).told.size() == 1);
  CHECK(queue.empty());
}

TEST_CASE("what an unknown key types while it is held after a command is not told") {
  InputQueue queue;
  const auto runs = [](const InputEvent& e) { return e.action == GLFW_PRESS; };
  queue.push(key_event(GLFW_KEY_UNKNOWN, 1, GLFW_PRESS));
  next_batch(queue, runs);
  queue.push(key_event(GLFW_KEY_UNKNOWN, 1, GLFW_REPEAT));
  queue.push(typed_event('x'));
  CHECK(next_batch(queue).told.size() == 2);  // that it is up, and the repeat
  queue.push(key_event(GLFW_KEY_UNKNOWN, 1, GLFW_RELEASE));
  queue.push(key_event(GLFW_KEY_UNKNOWN, 2, GLFW_PRESS));
  queue.push(typed_event('y'));
  CHECK(next_batch(queue).told.size() == 3);
}

TEST_CASE("any sequence of events is taken whole, in order, at most one press and one button a frame") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    InputQueue queue;
    std::size_t handled = 0;
    double pushed = 0, last = 0;
    for (int round = 0; round < 60; ++round) {
      for (auto i = random() % 8; i > 0; --i) {
        InputEvent e = any_event(random);
        e.x = ++pushed;  // its number
        queue.push(e);
      }
      const bool had_events = !queue.empty();
      const Batch batch = next_batch(queue, [&](const InputEvent&) { return random() % 5 == 0; });
      handled += batch.handled.size();
      REQUIRE(!batch.handled.empty() == had_events);
      int presses = 0, buttons = 0;
      for (const InputEvent& e : batch.handled) {
        REQUIRE(e.x > last);
        last = e.x;
        const bool is_modifier = e.key >= GLFW_KEY_LEFT_SHIFT && e.key <= GLFW_KEY_RIGHT_SUPER;
        presses += e.kind == InputEvent::Kind::kKey && e.action != GLFW_RELEASE && !is_modifier;
        buttons += e.kind == InputEvent::Kind::kButton;
      }
      REQUIRE(presses <= 1);
      REQUIRE(buttons <= 1);
    }
    for (int frames = 0; !queue.empty(); ++frames) {
      REQUIRE(frames < 600);
      handled += next_batch(queue).handled.size();
    }
    REQUIRE(handled > 0);
  }
}

TEST_CASE("a wheel with Ctrl and one without are not turned in one frame") {
  InputQueue queue;
  const auto turn = [](int modifiers) {
    return InputEvent{.kind = InputEvent::Kind::kWheel, .modifiers = modifiers, .y = 1};
  };
  for (const int modifiers : {0, 0, GLFW_MOD_CONTROL, GLFW_MOD_CONTROL, 0}) queue.push(turn(modifiers));
  CHECK(next_batch(queue).told.size() == 2);
  CHECK(next_batch(queue).told.size() == 2);
  CHECK(next_batch(queue).told.size() == 1);
}

TEST_CASE("a pause leaves frames without input, and no event is lost in it") {
  InputQueue queue;
  queue.push(key_event(GLFW_KEY_A, 38, GLFW_PRESS));
  queue.push(typed_event('a'));
  const Batch first = next_batch(queue, [&](const InputEvent& e) {
    if (e.kind == InputEvent::Kind::kKey) queue.pause(2);
    return true;
  });
  CHECK(first.handled.size() == 1);
  CHECK(next_batch(queue).handled.empty());
  CHECK(next_batch(queue).handled.empty());
  CHECK(next_batch(queue).handled.size() == 1);
}

TEST_CASE("a key that ran a command is up in the next frame, held or not, in a pause or not") {
  for (const int pause : {0, 2}) {
    for (const int scancode : {36, 107}) {  // of Enter, and of a key that GLFW does not know
      const int key = scancode == 36 ? GLFW_KEY_ENTER : GLFW_KEY_UNKNOWN;
      InputQueue queue;
      queue.push(key_event(key, scancode, GLFW_PRESS));
      const Batch first = next_batch(queue, [&](const InputEvent&) {
        queue.pause(pause);
        return true;
      });
      CHECK(first.told.size() == 1);
      queue.push(key_event(key, scancode, GLFW_REPEAT));
      const Batch second = next_batch(queue);
      REQUIRE(!second.told.empty());
      CHECK(second.told.front().key == key);
      CHECK(second.told.front().scancode == scancode);
      CHECK(second.told.front().action == GLFW_RELEASE);
      CHECK(second.handled.size() == (pause == 0 ? 1 : 0));
      for (int frame = 0; frame < 3; ++frame)  // once
        for (const InputEvent& e : next_batch(queue).told) CHECK(e.action == GLFW_REPEAT);
    }
  }
}

TEST_CASE("a key that ran no command is down until it is released") {
  InputQueue queue;
  queue.push(key_event(GLFW_KEY_BACKSPACE, 22, GLFW_PRESS));
  CHECK(next_batch(queue).told.size() == 1);
  CHECK(next_batch(queue).told.empty());
  queue.push(key_event(GLFW_KEY_BACKSPACE, 22, GLFW_RELEASE));
  CHECK(next_batch(queue).told.size() == 1);
}

}  // namespace lacuna
