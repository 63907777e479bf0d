#include "nccl/operation_meeting.h"

#include <algorithm>
#include <utility>

#include "nccl/status.h"

namespace simgpu::nccl {
namespace {

constexpr Nanoseconds kLookForGoneRanks = 50 * kMillisecond;

MeetingKey key_of(const Part& part, int rank, CallCounts& counts) {
  const auto other = static_cast<std::size_t>(part.root);
  const auto peer = static_cast<std::int8_t>(part.root);
  const auto self = static_cast<std::int8_t>(rank);
  MeetingKey key;
  if (part.pattern == Pattern::kSend) {
    key = {.order = counts.sends[other]++, .sender = self, .receiver = peer};
  } else if (part.pattern == Pattern::kReceive) {
    key = {.order = counts.receives[other]++, .sender = peer, .receiver = self};
  } else {
    key.order = counts.collectives++;
  }
  return key;
}

int party_of(const Part& part, int rank) {
  if (is_point_to_point(part)) {
    return part.pattern == Pattern::kSend ? 0 : 1;
  }
  return rank;
}

// Collectives of a group run one after the other; sends and receives at the same time, in both
// directions of the link.
Nanoseconds duration_of(const std::vector<Part>& parts, const Communicator& communicator) {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool point_to_point = false;
  Nanoseconds sum = 0;
  for (const Part& part : parts) {
    const std::uint64_t bytes = transfer_bytes(part, communicator.rank_count);
    if (is_point_to_point(part)) {
      point_to_point = true;
      (part.pattern == Pattern::kSend ? sent : received) += bytes;
    } else {
      sum += transfer_time(communicator.device, part.pattern, bytes, communicator.rank_count);
    }
  }
  return point_to_point ? sum + transfer_time(communicator.device, Pattern::kSend,
                                              std::max(sent, received), communicator.rank_count)
                        : sum;
}

}  // namespace

OperationMeeting::OperationMeeting(std::shared_ptr<Communicator> communicator,
                                   std::vector<Part> parts, bool captured)
    : communicator_(std::move(communicator)), parts_(std::move(parts)), captured_(captured) {
  CallCounts& counts = captured ? communicator_->captured : communicator_->called;
  for (const Part& part : parts_) {
    MeetingKey key = key_of(part, communicator_->rank, counts);
    key.captured = captured;
    places_.push_back({key, party_of(part, communicator_->rank), nullptr});
  }
  duration_ = duration_of(parts_, *communicator_);
}

std::optional<Nanoseconds> OperationMeeting::ends(Nanoseconds start) {
  if (communicator_->aborted) {
    return finish(std::max(start, now()));
  }
  if (!may_start()) {
    return std::nullopt;
  }
  bool complete = false;
  {
    const CliqueLock guard(*communicator_->clique);
    complete =
        post(std::max(start, captured_ ? start : communicator_->last_end)) && all_are_there();
    if (complete && !shapes_differ()) {
      return finish(collect());
    }
  }
  if (complete) {
    communicator_->error =
        fail(ncclInvalidUsage, "the ranks called different operations, or for different sizes");
  } else {
    look_for_gone_ranks();
  }
  return std::nullopt;
}

bool OperationMeeting::may_start() const {
  return communicator_->error == ncclSuccess &&
         (captured_ || (!communicator_->pending.empty() && communicator_->pending.front() == this));
}

// True once all parts have a slot.
bool OperationMeeting::post(Nanoseconds start) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.slot != nullptr) {
      continue;
    }
    const int parties = is_point_to_point(parts_[i]) ? 2 : communicator_->rank_count;
    Slot* const slot = communicator_->clique->slot(place.key, parties);
    if (slot == nullptr) {
      return false;
    }
    put_in(parts_[i], *communicator_->clique, *slot, place.party);
    Party& party = slot->parties[static_cast<std::size_t>(place.party)];
    party.start = start;
    party.duration = duration_;
    party.shape = shape_of(parts_[i]);
    party.posted = true;
    place.slot = slot;
  }
  return true;
}

bool OperationMeeting::all_are_there() const {
  return std::all_of(places_.begin(), places_.end(), [](const Place& place) {
    const auto& parties = place.slot->parties;
    return std::all_of(parties.begin(), parties.begin() + place.slot->party_count,
                       [](const Party& party) { return party.posted; });
  });
}

bool OperationMeeting::shapes_differ() const {
  return std::any_of(places_.begin(), places_.end(), [](const Place& place) {
    const auto& parties = place.slot->parties;
    return std::any_of(parties.begin(), parties.begin() + place.slot->party_count,
                       [&](const Party& party) { return party.shape != parties[0].shape; });
  });
}

// The same end on all ranks: the last start and the longest transfer of those that take part.
Nanoseconds OperationMeeting::collect() {
  Nanoseconds end = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Slot& slot = *places_[i].slot;
    Nanoseconds last_start = 0;
    Nanoseconds longest = 0;
    for (int party = 0; party < slot.party_count; ++party) {
      last_start = std::max(last_start, slot.parties[static_cast<std::size_t>(party)].start);
      longest = std::max(longest, slot.parties[static_cast<std::size_t>(party)].duration);
    }
    end = std::max(end, last_start + longest);
    take_out(parts_[i], *communicator_->clique, slot, places_[i].party);
    slot.parties[static_cast<std::size_t>(places_[i].party)].collected = true;
    slot.used = !std::all_of(slot.parties.begin(), slot.parties.begin() + slot.party_count,
                             [](const Party& party) { return party.collected; });
  }
  return end;
}

// A rank that has ended cannot come any more: NCCL tells it through ncclCommGetAsyncError() (user
// guide, "Asynchronous errors and error handling"), and the kernel runs until the program aborts.
void OperationMeeting::look_for_gone_ranks() {
  if (now() < looked_at_ + kLookForGoneRanks) {
    return;
  }
  looked_at_ = now();
  for (const Place& place : places_) {
    for (int party = 0; place.slot != nullptr && party < place.slot->party_count; ++party) {
      const bool two_sided = place.key.sender >= 0;
      const int sided = party == 0 ? place.key.sender : place.key.receiver;
      if (!place.slot->parties[static_cast<std::size_t>(party)].posted &&
          communicator_->clique->is_gone(two_sided ? sided : party)) {
        communicator_->error = fail(ncclRemoteError, "a rank has ended");
      }
    }
  }
}

Nanoseconds OperationMeeting::finish(Nanoseconds end) {
  auto& pending = communicator_->pending;
  pending.erase(std::remove(pending.begin(), pending.end(), this), pending.end());
  if (!captured_) {
    communicator_->last_end = end;
  }
  for (Place& place : places_) {
    place.slot = nullptr;
    ++place.key.replay;  // a captured one runs again
  }
  return end;
}

}  // namespace simgpu::nccl
