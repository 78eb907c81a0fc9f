#pragma once

namespace lacuna::collector {

// A dormant program (LACUNA_DORMANT=1) captures nothing until it is woken. A collector thread waits in accept() at an
// abstract socket of this user; it creates the segment on request (wake) and stops capturing afterwards (sleep), any
// number of times. While asleep, entry points only read one word (current_thread()).

/// Whether the environment makes this process dormant: LACUNA_DORMANT without LACUNA_SOCKET.
bool is_dormant();
/// Starts the waiting thread, once in each process, forked ones included. The caller holds the process's lock.
bool start_sleeper();
/// Closes, in a forked child, the parent's inherited socket.
void close_inherited_rendezvous();
/// Sets a callback: called with 1 right after waking, with 0 before sleeping, on the collector's thread, one at a time.
void use_waking_call(void (*call)(int));

}  // namespace lacuna::collector
