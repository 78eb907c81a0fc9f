#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Removes from a trace what identifies its owner: paths, names of hosts and users, and all names that are not those of
/// PyTorch, of its libraries and of the profiler. A name becomes a hash, the same one wherever it stands, so that
/// groups, flows and ranks stay what they are; hashes of another process differ, so names cannot be tried against them.
/// Top-level values and args of unknown keys are left out.
/// Times, sizes and ids stay to the digit. One thread.
class Scrubber {
 public:
  /// `people`: names of users and hosts, replaced in all texts in addition to those found in paths.
  explicit Scrubber(std::vector<std::string> people = {});

  /// For RangeExportOptions::edit.
  std::string edit(std::string_view key, std::string_view json);
  /// The name of a slice of a category.
  std::string name(std::string_view category, std::string_view text);
  /// Scrubs free text that a person wrote: names of files, users and hosts are replaced, and names that were replaced
  /// before.
  std::string words(std::string_view text);
  /// The same for SQL: what is quoted in it, and comments.
  std::string query(std::string_view sql);

  /// What was replaced, and by what.
  const std::map<std::string, std::string, std::less<>>& replaced() const { return replaced_; }
  /// Keys that were left out, and how often.
  const std::map<std::string, std::uint64_t, std::less<>>& left_out() const { return left_out_; }

 private:
  friend class EventScrub;

  std::string hash(std::string_view kind, std::string_view text);
  std::string known_or_hash(std::string_view text);
  std::string categories(std::string_view text);
  /// The longest replaced name that `text` begins with, as a whole word.
  std::string_view known_at(std::string_view text) const;
  std::string kernel(std::string_view text);
  std::string python_name(std::string_view text);
  std::string argument(std::string_view key, std::string_view text);

  std::vector<std::string> people_;
  std::map<std::string, std::string, std::less<>> replaced_;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
};

/// Names of the current user and of this host.
std::vector<std::string> names_of_here();

}  // namespace lacuna
