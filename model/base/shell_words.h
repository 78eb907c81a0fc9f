#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Splits a command line as a POSIX shell would, without expanding anything: white space separates;
/// '…' is literal; in "…" a backslash escapes \ " $ ` and a line end; elsewhere it escapes any
/// character. $NAME, *, ~, ;, | and & stand for themselves: nothing is run through a shell.
/// kInvalidArgument for a quote that is not closed or a backslash at the end.
Result<std::vector<std::string>> split_words(std::string_view line);

/// Joins `words` into one line that split_words() and a shell split into the same words.
std::string join_words(const std::vector<std::string>& words);

}  // namespace lacuna
