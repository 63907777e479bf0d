// Whose steps are the run's: the lane (thread) with optimizer spans, or with the
// ends of steps where the program marks them. Where an
// optimizer was built but no update was ever seen, because its step is
// compiled, or none was built, because the program updates its weights by hand,
// the lane with backwards takes its place. Of
// several training processes it is that of rank 0, else the one with most
// updates; the others are named in a note.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/timeline.h"

namespace flatout::analyse {

// What the steps' updates are: optimizer spans (or marks), else backwards.
enum class Updates { kSeen, kCompiled, kByHand };

struct StepLane {
  pid_t pid = 0;
  std::uint16_t lane = 0;
  bool is_main_thread = true;
  Updates updates = Updates::kSeen;
  std::vector<std::string> notes;
};

// Absent where no process recorded an update or a backward.
std::optional<StepLane> find_step_lane(const run::Timeline& timeline);

// A process that trains, and the lane on which it does.
struct TrainingLane {
  pid_t pid = 0;
  int rank = -1;  // -1 = not known
  std::uint16_t lane = 0;
  Updates updates = Updates::kSeen;
};
// All of them, by pid; empty where find_step_lane finds nothing.
std::vector<TrainingLane> training_lanes(const run::Timeline& timeline);

}  // namespace flatout::analyse
