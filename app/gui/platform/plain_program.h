#pragma once

namespace lacuna {

/// Finds an OpenGL function by name; null where there is none.
using GlFunction = void (*)();
using GlLoader = GlFunction (*)(const char* name);

/// Whether the current OpenGL context draws on the CPU.
bool is_software_renderer();

/// An OpenGL program that takes the vertices of ImGui's backend and shows their colours without a
/// texture. Needs the context that was current in make(). UI thread.
class PlainProgram {
 public:
  /// False when it cannot be made: then everything is drawn by the backend's.
  bool make(GlLoader load);
  void destroy();

  /// Before the draw data of each frame: the backend's projection may be another one.
  void begin_frame() { is_fresh_ = true; }
  /// Instead of the backend's program, while that is in use, until leave().
  void use();
  void leave();

 private:
  /// Links again where the backend's program has its attributes elsewhere.
  bool link();

  unsigned program_ = 0;
  unsigned backend_ = 0;  ///< whose attributes it has
  int projection_ = -1, backend_projection_ = -1;
  bool is_fresh_ = false;
  bool is_used_ = false;
};

}  // namespace lacuna
