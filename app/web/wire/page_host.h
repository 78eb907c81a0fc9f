#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/web/wire/page_link.h"

namespace lacuna {

/// What the server serves pages of. Called on the server's thread.
class PageHost {
 public:
  virtual ~PageHost() = default;
  /// A page with the token has said hello. `window`: the one that it had; empty or unknown: it gets another.
  virtual void connect(std::shared_ptr<PageLink> link, const std::string& window) = 0;
  /// Where a file that a page brings is written: a new file in a folder of ours alone. Nothing: it cannot be.
  virtual std::optional<std::string> place_for(const std::string& name) = 0;
  /// It is there, and the window opens it. False: there is no such window.
  virtual bool uploaded(const std::string& window, const std::string& path) = 0;
  /// The file of a download that a window offered; each is given once.
  virtual std::optional<std::string> take_download(const std::string& id) = 0;
};

}  // namespace lacuna
