// What a killed flatout left behind, removed by the next command. Main thread.
#pragma once

namespace flatout::app {

// Ring directories whose recorder is dead, and in which no process writes any more: what
// lies in their rings goes into the run's log first, where the run is stored; where that
// fails they stay. Folders of trials whose tune is dead. Silent; never throws. Looks
// in /dev/shm and the temporary folders (launch/owner_mark.h says what counts as dead).
void sweep_leftovers() noexcept;

}  // namespace flatout::app
