#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

/// What a dialog of the desktop is asked for.
struct DialogWish {
  bool saves = false;  ///< one file to write; else one or several to open
  std::string title;
  std::string folder;            ///< where it starts: absolute
  std::string name = {};         ///< of the file to write, as proposed
  std::uint64_t x11_window = 0;  ///< the dialog stays above this window; 0: unknown
};

/// How it ended.
struct DialogAnswer {
  enum class End {
    kChosen,
    kCancelled,    ///< by the user, or because the window closed
    kUnavailable,  ///< there is none, or it does not answer
  };
  End end = End::kUnavailable;
  std::vector<std::string> paths = {};      ///< of kChosen; absolute
  std::vector<std::string> elsewhere = {};  ///< chosen as well: addresses that are no files of this machine
};

}  // namespace lacuna
