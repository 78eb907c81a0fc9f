#pragma once

#include <functional>
#include <memory>

namespace lacuna {

class App;
class Shell;

/// Looks on while a window draws its frames; on the window's thread.
class FrameObserver {
 public:
  virtual ~FrameObserver() = default;
  virtual void before_frame(App& app) = 0;
  virtual void after_frame(const App& app, const Shell& shell) = 0;
};

/// Returns the observer of a window, by its number from 0; null where none is wanted. Called on any thread.
using MakeFrameObserver = std::function<std::unique_ptr<FrameObserver>(int window)>;

}  // namespace lacuna
