#include "model/export/held_event.h"

namespace lacuna {

HeldEvent::HeldEvent(const StreamedSlice& s)
    : flag(s.is_open),
      track(s.track),
      time(s.start),
      length(s.duration),
      number(s.correlation),
      name(s.name),
      category(s.category),
      args(s.args) {}

HeldEvent::HeldEvent(const StreamedInstant& i)
    : kind(Kind::kInstant),
      flag(i.is_counter),
      track(i.track),
      time(i.time),
      name(i.name),
      category(i.category),
      args(i.args) {}

HeldEvent::HeldEvent(const StreamedAsync& a)
    : kind(Kind::kAsync),
      flag(a.is_begin),
      track(a.track),
      time(a.time),
      number(a.id),
      name(a.name),
      category(a.category),
      args(a.args) {}

HeldEvent::HeldEvent(const StreamedFlow& f)
    : kind(Kind::kFlow),
      track(f.from),
      to(f.to),
      time(f.from_time),
      length(f.to_time),
      number(f.id),
      category(f.category) {}

void HeldEvent::pass_to(EventSink& sink) const {
  switch (kind) {
    case Kind::kSlice:
      return sink.add(StreamedSlice{track, name, category, time, length, number, args, flag});
    case Kind::kInstant:
      return sink.add(StreamedInstant{track, name, category, time, args, flag});
    case Kind::kAsync:
      return sink.add(StreamedAsync{track, name, category, time, number, flag, args});
    case Kind::kFlow:
      return sink.add(StreamedFlow{track, time, to, length, number, category});
  }
}

}  // namespace lacuna
