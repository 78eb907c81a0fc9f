#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/web/wire/page_link.h"

namespace lacuna {

/// The server's interface to the windows. Called on the server's thread.
class PageHost {
 public:
  virtual ~PageHost() = default;
  /// A page with the token has connected. `window`: id of its former window; if empty or unknown, it gets another one.
  virtual void connect(std::shared_ptr<PageLink> link, const std::string& window) = 0;
  /// Returns where to write an uploaded file: a new file in a private folder. Nothing if that is impossible.
  virtual std::optional<std::string> place_for(const std::string& name) = 0;
  /// The upload is complete: opens it in the window. Returns false if there is no such window.
  virtual bool uploaded(const std::string& window, const std::string& path) = 0;
  /// Returns the file of a download that a window offered; each only once.
  virtual std::optional<std::string> take_download(const std::string& id) = 0;
};

}  // namespace lacuna
