// What the library does once CUDA has loaded it: traces when it is to, from a thread of its own,
// until the process ends or somebody else needs CUPTI.
//
// Life of a process: idle -> armed (tracing is on, nothing has happened on a device yet, so there
// is no thread) -> running (the thread does everything) -> stopped. Nothing of it goes on in a
// child of fork().
#pragma once

namespace flatout::inject::cupti {

// From InitializeInjection(), once.
void start_agent();

// Another client of CUPTI is about to begin in this process, and `who` says which (nullptr: not
// known): tracing is off and stays off when this returns, which it does after some seconds at the
// latest. Any thread, also before start_agent().
void yield_agent(const char* who);

// The program's steps have begun: the next window comes at once, since windows of its start-up say
// nothing of them. Any thread; does not wait.
void note_steps();

}  // namespace flatout::inject::cupti
