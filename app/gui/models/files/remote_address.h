#pragma once

#include <string>

namespace lacuna {

/// Another machine as the user names it: an ssh host, or a transport such as `docker exec -i NAME`, or both.
struct RemoteAddress {
  std::string host;
  std::string transport;
  bool is_empty() const { return host.empty() && transport.empty(); }
  std::string name() const { return host.empty() ? transport : host; }
  bool operator==(const RemoteAddress&) const = default;
};

}  // namespace lacuna
