#pragma once

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "model/base/os/files.h"
#include "model/base/os/folder_tree.h"

namespace lacuna {

/// A folder that is removed with the object.
struct TemporaryFolder {
  TemporaryFolder() {
    path = (std::filesystem::temp_directory_path() / "lacuna_test_").generic_string();
    if (!create_temporary_folder(path)) throw std::filesystem::filesystem_error(path, {errno, std::generic_category()});
  }
  ~TemporaryFolder() { (void)remove_tree(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path + "/" + name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  std::string path;
};

}  // namespace lacuna
