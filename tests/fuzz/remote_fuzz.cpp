// What a hostile machine at the other end of a line may send: any bytes, in any pieces, to either side; and what stands
// in the frames.
#include <cstddef>
#include <string>
#include <string_view>

#include "capture/remote/fields.h"
#include "capture/remote/frame.h"
#include "capture/remote/packed.h"
#include "capture/remote/remote_files.h"
#include "capture/remote/remote_page.h"
#include "capture/remote/remote_trace_view.h"
#include "capture/remote/verbs.h"
#include "tests/support/trace_maker.h"

namespace {

/// With a category, a track and a lane, of which answers may speak.
const lacuna::Trace& trace_here() {
  static const lacuna::Trace trace = lacuna::TraceMaker().thread("aten::mm", 0, 100).build();
  return trace;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  if (size < 2) return 0;
  const std::size_t step = data[0] + 1u;
  FrameReader reader((data[1] & 1) != 0);
  std::string bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  if ((data[1] & 2) != 0) bytes.insert(0, kPreamble);
  PackedReader unpacker;
  std::string out;
  Frame frame;
  RemoteTraceView sight([](RemoteTraceView::Picture) {});
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(std::string_view(bytes).substr(at, step));
    while (reader.next(frame)) {
      if (frame.payload.size() > kMostPayload) __builtin_trap();
      (void)problem_of_hello(frame);
      (void)decode_error(frame.payload);
      if (unpacker.unpack(frame.payload, out) && out.size() > kMostUnpacked) __builtin_trap();
      FieldReader fields(frame.payload);
      for (int i = 0; i < 4 && !fields.is_at_end(); ++i) {
        const RemoteFile file = get_remote_file(fields);
        const std::string name = local_name({"box", {}}, file.path);
        if (name.find('/') != std::string::npos || name.size() > 255) __builtin_trap();
      }
      FieldReader listed(frame.payload);
      (void)get_remote_entry(listed);
      FieldReader words(frame.payload);
      (void)get_words(words);
      FieldReader wished(frame.payload);
      const RemoteViewRequest wish = get_remote_view_request(wished);
      if (wish.files.size() > kMostFiles || wish.view.tracks.size() > kMostRemoteViewTracks) __builtin_trap();
      FieldReader answered(frame.payload);
      (void)get_remote_view_state(answered);
      if (get_remote_view_head(answered).fold_ns < 1) __builtin_trap();
      FieldReader paged(frame.payload);
      if (const auto page = get_remote_page(paged, trace_here()); page && page->groups.rows.size() > kMostPageRows)
        __builtin_trap();
      // As somebody who waits for pictures, and has asked for whatever comes.
      sight.expect(frame.request);
      sight.take(frame);
    }
  }
  return 0;
}
