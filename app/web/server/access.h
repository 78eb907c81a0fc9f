#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// A new token: 32 hexadecimal digits of the system's random numbers. Empty where the system gives none.
std::string make_token();

/// Whether both are the same, in a time that depends on their lengths alone.
bool are_same_token(std::string_view given, std::string_view token);

/// Whether a request with this Host header means this machine by an address or name that no other site can have:
/// 127.0.0.1, localhost or [::1] with any port (forwarding changes it), or one of `others` ("*": any). A page that
/// makes its own name resolve to 127.0.0.1 (DNS rebinding) is refused here.
bool is_own_host(std::string_view host, std::span<const std::string> others);

/// Whether a Host header is an address in numbers: no name, so nobody made it lead here.
bool is_address(std::string_view host);

/// Whether a page with this Origin header is one of ours: of the same host and port as the request, or one of
/// `allowed`, as "https://hub.example.org" ("*": any, the token alone decides). An empty origin is no browser's, and
/// goes by the token alone.
bool is_own_origin(std::string_view origin, std::string_view host, std::span<const std::string> allowed);

/// The last part of a file's name from a page, without what would lead out of a folder or hide it: at most 120 bytes.
/// "file" where nothing is left.
std::string safe_file_name(std::string_view name);

/// "%2F" becomes "/"; what is no such thing stays.
std::string percent_decoded(std::string_view text);

/// The value of `key` in the query of a request's target ("/?a=b&c=d"); empty: it has none.
std::string query_value(std::string_view target, std::string_view key);

}  // namespace lacuna
