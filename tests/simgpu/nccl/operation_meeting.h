// One kernel of NCCL on one rank: the calls of a group that are on the same communicator and
// stream. NCCL user guide, "Group Calls" and "CUDA Stream Semantics": the host goes on at once; the
// kernel starts when the stream comes to it, and ends when all ranks that take part have
// come and the data has moved. Until then it keeps its device busy.
#pragma once

#include <memory>
#include <vector>

#include "core/submit.h"
#include "nccl/communicator.h"
#include "nccl/part.h"

namespace simgpu::nccl {

class OperationMeeting : public Meeting {
 public:
  // With the process's lock held: numbers its parts among the calls of the communicator.
  OperationMeeting(std::shared_ptr<Communicator> communicator, std::vector<Part> parts,
                   bool captured);

  std::optional<Nanoseconds> ends(Nanoseconds start) override;

  Nanoseconds duration() const { return duration_; }

 private:
  struct Place {
    MeetingKey key;
    int party;
    Slot* slot;  // null until this rank has posted; ours until it has collected
  };

  bool may_start() const;
  bool post(Nanoseconds start);
  bool all_are_there() const;
  bool shapes_differ() const;
  Nanoseconds collect();
  void look_for_gone_ranks();
  Nanoseconds finish(Nanoseconds end);

  std::shared_ptr<Communicator> communicator_;
  std::vector<Part> parts_;
  std::vector<Place> places_;  // of each part
  bool captured_;
  Nanoseconds duration_ = 0;
  Nanoseconds looked_at_ = 0;
};

}  // namespace simgpu::nccl
