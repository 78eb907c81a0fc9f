#include "capture/remote/remote_place.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "model/base/shell_words.h"

namespace lacuna {

std::string RemotePlace::name() const {
  return host.empty() ? join_words(transport) : host;
}

Result<RemotePlace> make_remote_place(const std::string& host, const std::string& transport) {
  if (host.starts_with('-')) return fail(ErrorCode::kInvalidArgument, "a host does not begin with -", host);
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (std::ranges::any_of(host, is_blank)) return fail(ErrorCode::kInvalidArgument, "a host has no blanks", host);
  // A ProxyCommand with %h of the user's ssh goes through a shell.
  if (const std::size_t at = host.find_first_of("'`\"$\\;&<>|(){}"); at != std::string::npos)
    return fail(ErrorCode::kInvalidArgument, fmt::format("a host has no {}", host[at]), host);
  if (const std::size_t at = host.rfind('@'); at != std::string::npos && host.substr(at + 1).starts_with('-'))
    return fail(ErrorCode::kInvalidArgument, "a host does not begin with -", host);
  RemotePlace place;
  place.host = host;
  if (!transport.empty()) {
    Result<std::vector<std::string>> words = split_words(transport);
    if (!words) return tl::make_unexpected(words.error());
    place.transport = std::move(*words);
  }
  if (!place.is_set()) return fail(ErrorCode::kInvalidArgument, "neither a host nor a transport");
  return place;
}

bool is_by_ssh(const RemotePlace& place) {
  return place.transport.empty() || std::filesystem::path(place.transport.front()).filename() == "ssh";
}

std::vector<std::string> words_to_run(const RemotePlace& place, const std::string& script) {
  std::vector<std::string> words = place.transport;
  if (words.empty()) words = {"ssh", "-T", "-o", "ServerAliveInterval=15", place.host};
  if (is_by_ssh(place)) {
    words.push_back(join_words({"sh", "-c", script}));
  } else {
    words.insert(words.end(), {"sh", "-c", script});
  }
  return words;
}

std::string serve_script() {
  // What install-on put there first: it is the answer to a version that does not fit.
  return fmt::format(R"(l="{}/bin/lacuna"; [ -x "$l" ] || l=$(command -v lacuna) || exit 127; exec "$l" serve --stdio)",
                     kInstallFolder);
}

}  // namespace lacuna
