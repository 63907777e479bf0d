// The other ranks of a program on this machine, at the end of a trial: a rank that ends
// while another is still in its last step closes the connection under it, and a
// launcher may then start all of them again. So they wait for each other, in files of
// the run's ring folder: nothing of ours enters the program's process group.
#pragma once

#include <cstdint>

namespace flatout::inject {

// How many ranks run on this machine, where the program's process group says it and the
// launcher's environment does not.
void expect_ranks(std::uint32_t ranks);

// Says that this rank has had its steps and returns once all have, or after 5 s; at once
// where there is only one. At most once a process. Blocks; the communication of the
// program's other threads goes on.
void wait_for_peers();

}  // namespace flatout::inject
