#include "model/base/result.h"

namespace lacuna {

std::string Error::message() const {
  std::string text;
  if (!file.empty()) text += file + ": ";
  if (offset) text += "byte " + std::to_string(*offset) + ": ";
  return text + cause;
}

}  // namespace lacuna
