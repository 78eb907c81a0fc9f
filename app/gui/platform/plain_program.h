#pragma once

namespace lacuna {

/// Finds an OpenGL function by name; null if there is none.
using GlFunction = void (*)();
using GlLoader = GlFunction (*)(const char* name);

/// Whether the current OpenGL context draws on the CPU.
bool is_software_renderer();

/// An OpenGL program that takes the vertices of ImGui's backend and draws their colours without a
/// texture. Needs the context that was current in make(). UI thread.
class PlainProgram {
 public:
  /// Compiles the program. Returns false on failure: the backend's program then draws everything.
  bool make(GlLoader load);
  void destroy();

  /// Call before each frame is drawn: the backend's projection may have changed.
  void begin_frame() { is_fresh_ = true; }
  /// Replaces the backend's program, which must be in use, until leave().
  void use();
  void leave();

 private:
  /// Links again if the backend's program has other attribute locations.
  bool link();

  unsigned program_ = 0;
  unsigned backend_ = 0;  ///< the backend's program whose attribute locations it uses
  int projection_ = -1, backend_projection_ = -1;
  bool is_fresh_ = false;
  bool is_used_ = false;
};

}  // namespace lacuna
