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
  /// Makes the program. False when that fails: the backend's program then draws everything.
  bool make(GlLoader load);
  void destroy();

  /// Call it before each frame is drawn: the backend may have another projection by then.
  void begin_frame() { is_fresh_ = true; }
  /// Takes the place of the backend's program, which must be in use, until leave().
  void use();
  void leave();

 private:
  /// Links again when the backend's program has its attributes at other places.
  bool link();

  unsigned program_ = 0;
  unsigned backend_ = 0;  ///< whose attributes it has
  int projection_ = -1, backend_projection_ = -1;
  bool is_fresh_ = false;
  bool is_used_ = false;
};

}  // namespace lacuna
