#pragma once

#include <nanoarrow/nanoarrow.h>
#include <nanoarrow/nanoarrow_ipc.h>

namespace lacuna {

/// Owns one of nanoarrow's C structures.
template <class T, void (*kRelease)(T*)>
struct OwnedArrow {
  T value{};
  OwnedArrow() = default;
  OwnedArrow(const OwnedArrow&) = delete;
  OwnedArrow& operator=(const OwnedArrow&) = delete;
  ~OwnedArrow() { kRelease(&value); }
  T* get() { return &value; }
};

inline void release_schema(ArrowSchema* s) {
  if (s->release != nullptr) s->release(s);
}
inline void release_array(ArrowArray* a) {
  if (a->release != nullptr) a->release(a);
}
inline void release_stream(ArrowArrayStream* s) {
  if (s->release != nullptr) s->release(s);
}
inline void release_view(ArrowArrayView* v) {
  ArrowArrayViewReset(v);
}
inline void release_writer(ArrowIpcWriter* w) {
  if (w->private_data != nullptr) ArrowIpcWriterReset(w);
}

using OwnedSchema = OwnedArrow<ArrowSchema, release_schema>;
using OwnedArray = OwnedArrow<ArrowArray, release_array>;
using OwnedStream = OwnedArrow<ArrowArrayStream, release_stream>;
using OwnedView = OwnedArrow<ArrowArrayView, release_view>;
using OwnedWriter = OwnedArrow<ArrowIpcWriter, release_writer>;

}  // namespace lacuna
