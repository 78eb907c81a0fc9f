#include "app/gui/platform/plain_program.h"

#include <array>
#include <string_view>
#include <utility>

#include <GL/gl.h>
#include <GL/glext.h>

namespace lacuna {
namespace {

constexpr const char* kVertexShader =
    "#version 150\n"
    "uniform mat4 ProjMtx;\n"
    "in vec2 Position;\n"
    "in vec4 Color;\n"
    "out vec4 Frag_Color;\n"
    "void main() {\n"
    "  Frag_Color = Color;\n"
    "  gl_Position = ProjMtx * vec4(Position.xy, 0, 1);\n"
    "}\n";
constexpr const char* kFragmentShader =
    "#version 150\n"
    "in vec4 Frag_Color;\n"
    "out vec4 Out_Color;\n"
    "void main() { Out_Color = Frag_Color; }\n";

/// What OpenGL 1.1 does not have.
struct PlainFunctions {
  PFNGLCREATESHADERPROC create_shader;
  PFNGLSHADERSOURCEPROC shader_source;
  PFNGLCOMPILESHADERPROC compile_shader;
  PFNGLDELETESHADERPROC delete_shader;
  PFNGLCREATEPROGRAMPROC create_program;
  PFNGLATTACHSHADERPROC attach_shader;
  PFNGLLINKPROGRAMPROC link_program;
  PFNGLGETPROGRAMIVPROC get_program;
  PFNGLUSEPROGRAMPROC use_program;
  PFNGLDELETEPROGRAMPROC delete_program;
  PFNGLBINDATTRIBLOCATIONPROC bind_attribute;
  PFNGLGETATTRIBLOCATIONPROC attribute;
  PFNGLGETUNIFORMLOCATIONPROC uniform;
  PFNGLGETUNIFORMFVPROC get_uniform;
  PFNGLUNIFORMMATRIX4FVPROC set_matrix;
};
PlainFunctions plain_gl;

template <class Function>
bool find_function(GlLoader load, const char* name, Function& function) {
  function = reinterpret_cast<Function>(load(name));
  return function != nullptr;
}

unsigned compile_shader(GLenum kind, const char* source) {
  const unsigned shader = plain_gl.create_shader(kind);
  plain_gl.shader_source(shader, 1, &source, nullptr);
  plain_gl.compile_shader(shader);
  return shader;
}

}  // namespace

bool is_software_renderer() {
  const auto* text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  if (text == nullptr) return false;
  const std::string_view name = text;
  constexpr std::array<std::string_view, 3> kNames = {"llvmpipe", "softpipe", "Software Rasterizer"};
  for (const std::string_view known : kNames)
    if (name.find(known) != std::string_view::npos) return true;
  return false;
}

bool PlainProgram::make(GlLoader load) {
  const bool has_all = find_function(load, "glCreateShader", plain_gl.create_shader) &&
                       find_function(load, "glShaderSource", plain_gl.shader_source) &&
                       find_function(load, "glCompileShader", plain_gl.compile_shader) &&
                       find_function(load, "glDeleteShader", plain_gl.delete_shader) &&
                       find_function(load, "glCreateProgram", plain_gl.create_program) &&
                       find_function(load, "glAttachShader", plain_gl.attach_shader) &&
                       find_function(load, "glLinkProgram", plain_gl.link_program) &&
                       find_function(load, "glGetProgramiv", plain_gl.get_program) &&
                       find_function(load, "glUseProgram", plain_gl.use_program) &&
                       find_function(load, "glDeleteProgram", plain_gl.delete_program) &&
                       find_function(load, "glBindAttribLocation", plain_gl.bind_attribute) &&
                       find_function(load, "glGetAttribLocation", plain_gl.attribute) &&
                       find_function(load, "glGetUniformLocation", plain_gl.uniform) &&
                       find_function(load, "glGetUniformfv", plain_gl.get_uniform) &&
                       find_function(load, "glUniformMatrix4fv", plain_gl.set_matrix);
  if (!has_all) return false;
  program_ = plain_gl.create_program();
  for (const auto& [kind, source] :
       {std::pair(GL_VERTEX_SHADER, kVertexShader), std::pair(GL_FRAGMENT_SHADER, kFragmentShader)}) {
    const unsigned shader = compile_shader(static_cast<GLenum>(kind), source);
    plain_gl.attach_shader(program_, shader);
    plain_gl.delete_shader(shader);  // goes with the program
  }
  plain_gl.link_program(program_);
  GLint is_linked = GL_FALSE;
  plain_gl.get_program(program_, GL_LINK_STATUS, &is_linked);
  if (is_linked != GL_TRUE) destroy();
  return program_ != 0;
}

void PlainProgram::destroy() {
  if (program_ != 0) plain_gl.delete_program(program_);
  *this = PlainProgram{};
}

bool PlainProgram::link() {
  backend_projection_ = plain_gl.uniform(backend_, "ProjMtx");
  const GLint position = plain_gl.attribute(backend_, "Position");
  const GLint colour = plain_gl.attribute(backend_, "Color");
  if (backend_projection_ < 0 || position < 0 || colour < 0) return false;
  plain_gl.bind_attribute(program_, static_cast<GLuint>(position), "Position");
  plain_gl.bind_attribute(program_, static_cast<GLuint>(colour), "Color");
  plain_gl.link_program(program_);
  projection_ = plain_gl.uniform(program_, "ProjMtx");
  return true;
}

void PlainProgram::use() {
  if (program_ == 0 || is_used_) return;
  GLint current = 0;
  glGetIntegerv(GL_CURRENT_PROGRAM, &current);
  if (static_cast<unsigned>(current) != backend_) {
    backend_ = static_cast<unsigned>(current);
    if (!link()) return destroy();
  }
  plain_gl.use_program(program_);
  is_used_ = true;
  if (!is_fresh_) return;
  is_fresh_ = false;
  std::array<GLfloat, 16> projection{};
  plain_gl.get_uniform(backend_, backend_projection_, projection.data());
  plain_gl.set_matrix(projection_, 1, GL_FALSE, projection.data());
}

void PlainProgram::leave() {
  if (!is_used_) return;
  plain_gl.use_program(backend_);
  is_used_ = false;
}

}  // namespace lacuna
