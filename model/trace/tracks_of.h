#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/trace/trace.h"

namespace lacuna {

/// The tracks of one kind, of one file or of all, in the order of the trace: for (const Track& track : tracks_of(...)).
/// The trace must outlive it.
class TracksOf {
 public:
  TracksOf(const Trace& trace, TrackKind kind, std::optional<SourceId> source)
      : trace_(trace), kind_(kind), source_(source) {}

  class Iterator {
   public:
    Iterator(const TracksOf& of, std::size_t index) : of_(&of), index_(index) { skip(); }
    const Track& operator*() const { return of_->trace_.tracks()[index_]; }
    Iterator& operator++() {
      ++index_;
      skip();
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    void skip() {
      while (index_ < of_->trace_.tracks().size() && !of_->has(**this)) ++index_;
    }
    const TracksOf* of_;
    std::size_t index_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, trace_.tracks().size()}; }

 private:
  bool has(const Track& track) const {
    return track.kind == kind_ && (!source_ || trace_.process(track.process).source == *source_);
  }
  const Trace& trace_;
  const TrackKind kind_;
  const std::optional<SourceId> source_;
};

inline TracksOf tracks_of(const Trace& trace, TrackKind kind, std::optional<SourceId> source = {}) {
  return {trace, kind, source};
}

}  // namespace lacuna
