#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// Returns a new token: 32 hexadecimal digits from the system's random numbers. Empty if the system has none.
std::string make_token();

/// Whether both are equal. Takes a time that depends on their lengths only.
bool are_same_token(std::string_view given, std::string_view token);

/// Whether a request's Host header denotes this machine by an address or name that no other site can have:
/// 127.0.0.1, localhost or [::1] with any port (forwarding changes it), or one of `others` ("*": any). A page that
/// makes its own name resolve to 127.0.0.1 (DNS rebinding) is refused here.
bool is_own_host(std::string_view host, std::span<const std::string> others);

/// Whether a Host header is a numeric address: no name that anyone could make resolve to here.
bool is_address(std::string_view host);

/// Whether a page with this Origin header is trusted: of the same host and port as the request, or one of
/// `allowed`, as "https://hub.example.org" ("*": any, the token alone decides). Browsers always send an origin; without
/// one the token alone decides.
bool is_own_origin(std::string_view origin, std::string_view host, std::span<const std::string> allowed);

/// Returns the last part of a file name sent by a page, without anything that would leave the folder or hide the file:
/// at most 120 bytes. "file" if nothing is left.
std::string safe_file_name(std::string_view name);

/// Decodes "%2F" to "/"; leaves invalid sequences unchanged.
std::string percent_decoded(std::string_view text);

/// Returns the value of `key` in the query of a request's target ("/?a=b&c=d"); empty if missing.
std::string query_value(std::string_view target, std::string_view key);

}  // namespace lacuna
