#pragma once

namespace lacuna::collector {

// A dormant program (LACUNA_DORMANT=1) captures nothing until somebody asks. A thread of ours waits in accept() at an
// abstract socket of this user; it makes the segment when it is asked to (wake), and puts all to rest again afterwards
// (sleep), any number of times. Entry points look at one word meanwhile (current_thread()).

/// Whether this process is to sleep, by its environment: LACUNA_DORMANT without LACUNA_SOCKET.
bool is_dormant();
/// Starts the thread that waits; in each process, forked ones included, once. The caller holds the process's lock.
bool start_sleeper();
/// Closes, in a forked child, what it inherited of the parent's rendezvous.
void close_inherited_rendezvous();
/// Called with 1 right after the process woke, with 0 before it sleeps, on a thread of ours; one at a time.
void use_waking_call(void (*call)(int));

}  // namespace lacuna::collector
