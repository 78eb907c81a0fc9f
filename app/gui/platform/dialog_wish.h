#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

/// A request for a desktop dialog.
struct DialogWish {
  bool saves = false;  ///< choose one file to write; otherwise one or several to open
  std::string title;
  std::string folder;            ///< initial folder, absolute
  std::string name = {};         ///< proposed name of the file to write
  std::uint64_t x11_window = 0;  ///< keep the dialog above this window; 0: unknown
};

/// The result of a dialog.
struct DialogAnswer {
  enum class End {
    kChosen,
    kCancelled,    ///< by the user, or because the window closed
    kUnavailable,  ///< no dialog is available, or it does not answer
  };
  End end = End::kUnavailable;
  std::vector<std::string> paths = {};      ///< for kChosen; absolute
  std::vector<std::string> elsewhere = {};  ///< also chosen: URIs that are no files of this machine
};

}  // namespace lacuna
