#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/calls/call_tree.h"

namespace lacuna {

/// A call tree for those who see its trace from elsewhere, in a bounded size: of many frames those with the most time.
struct CallExcerpt {
  CallTree tree;  ///< CallKey::name of slices and modules is a number in `names`
  std::vector<std::string> names;
  std::vector<TimeSpan> longest;  ///< of each frame: of CallNode::longest, which has the index kNoIndex
  std::uint64_t frame_count = 0;  ///< before the limit
};

/// Whether the name of a key is a text: of slices and of modules.
bool has_text(CallKind kind);
/// `most`: frames, one at least.
CallExcerpt excerpt_calls(const Trace& trace, const CallTree& tree, std::size_t most);
/// Whether one made by excerpt_calls() holds together; what comes from elsewhere may not.
bool is_sound(const CallExcerpt& excerpt);

}  // namespace lacuna
