// What the environment says of a process's rings.
#pragma once

namespace flatout::inject {

// RANK is torch.distributed's own variable, set by torchrun and most launchers;
// the others are those of MPI's launchers. -1 when none is there.
int rank_from_environment();

// Whether rings may be shared memory segments: flatout says where it reads them from
// (FLATOUT_RING_IPC), and an id of another namespace is nobody's.
bool shares_segments();
// The same of a namespace that was said otherwise; "" = rings are files.
bool is_own_ipc(const char* name);

}  // namespace flatout::inject
