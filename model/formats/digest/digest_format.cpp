#include "model/formats/digest/digest_format.h"

namespace lacuna {

constinit const Format kDigestFormat{
    .title = "digest of a trace",
    .use = FormatUse::kDigest,
    .endings = {".digest"},
    .may_be_compressed = false,
    .recognises = [](std::string_view head, bool) { return head.starts_with(kArrowHead.substr(0, 6)); },
    .read = [](const FormatInput&, TraceSource&, const BatchReceiver&) -> Result<void> {
      return fail(ErrorCode::kNotATrace,
                  "not a Chrome trace: an Arrow file; lacuna DIGEST and lacuna job read those that lacuna digest wrote",
                  {}, 0);
    }};

}  // namespace lacuna
