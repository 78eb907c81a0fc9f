#include "app/gui/platform/graphics_library.h"

#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "capture/session/installation.h"

// Each function of the libraries is a jump through a variable, which load_graphics() fills. Linkers then find all that
// Dear ImGui's backend and our own code call, whatever their types are.
#if defined(__x86_64__)
#define GRAPHICS_JUMP(name) "  jmpq *lacuna_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define GRAPHICS_JUMP(name)   \
  "  adrp x16, lacuna_" #name \
  "\n"                        \
  "  ldr x16, [x16, :lo12:lacuna_" #name "]\n  br x16\n"
#else
#error "say here how this processor jumps to an address that a variable holds"
#endif

#define GRAPHICS_FUNCTION(name)                                                                                 \
  extern "C" {                                                                                                  \
  __attribute__((visibility("hidden"), used)) void* lacuna_##name = nullptr;                                    \
  }                                                                                                             \
  asm(".pushsection .text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name \
      ":\n" GRAPHICS_JUMP(name) ".size " #name ", .-" #name "\n.popsection\n");
#include "app/gui/platform/graphics_functions.inc"
#undef GRAPHICS_FUNCTION

namespace lacuna {
namespace {

std::vector<void*>& graphics_handles() {
  static std::vector<void*> handles;
  return handles;
}

struct GraphicsSlot {
  const char* name;
  void** function;
};
#define GRAPHICS_FUNCTION(name) {#name, &lacuna_##name},
constexpr GraphicsSlot kGraphicsSlots[] = {
#include "app/gui/platform/graphics_functions.inc"
};
#undef GRAPHICS_FUNCTION

bool open_library(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) graphics_handles().push_back(handle);
  return handle != nullptr;
}

}  // namespace

void* find_graphics_function(const char* name) {
  for (void* handle : graphics_handles())
    if (void* found = ::dlsym(handle, name); found != nullptr) return found;
  return nullptr;
}

Result<void> load_graphics(GraphicsUse use) {
  if (!graphics_handles().empty()) return {};
  // What an installation brings along lies beside its collector; all else is the system's.
  const std::string beside = find_installation().collector;
  const bool has_all =
      !beside.empty() && open_library((std::filesystem::path(beside).parent_path() / "liblacuna_graphics.so").string());
  if (!has_all) {
    const char* const window[] = {"libGL.so.1", "libglfw.so.3"};
    const char* const offscreen[] = {"libGL.so.1", "libEGL.so.1"};
    for (const char* name : use == GraphicsUse::kWindow ? window : offscreen) {
      if (open_library(name)) continue;
      for (void* handle : graphics_handles()) ::dlclose(handle);
      graphics_handles().clear();
      return fail(ErrorCode::kUnsupported, std::string("nothing can be drawn here without ") + name +
                                               " (packages libgl1, libegl1 and libglfw3); lacuna web shows the window "
                                               "in a browser without it");
    }
  }
  for (const GraphicsSlot& slot : kGraphicsSlots) *slot.function = find_graphics_function(slot.name);
  return {};
}

}  // namespace lacuna
