// What signals may do to the programs.
#pragma once

namespace ome::net {

/// At the start of a program: a peer or a reader that leaves, and a file that has reached the size
/// limit of the process, are errors of a write and not the end of the process.
void survive_failed_writes();

/// At the start of a program that reads its files again at SIGHUP: one that comes before its
/// handler is there waits for release_hangup(), instead of ending the process. Threads that are
/// started in between keep it held.
void hold_hangup();

void release_hangup();

}  // namespace ome::net
