#include "record/ring_dir_reader.h"

#include <algorithm>
#include <system_error>

#include "record/trace_decoder.h"

namespace flatout::record {
namespace {

// Bounds the memory that one piece of a ring takes when decoded.
constexpr std::uint64_t kChunkBytes = 4U << 20;
// An idle ring's writer is looked for once a second.
constexpr base::DurationNs kAliveInterval = base::kSecond;
// More rings than any run needs; a directory filled by mistake must not take
// all address space.
constexpr std::size_t kMaxRings = 4096;
constexpr std::size_t kMaxRefused = 4096;

}  // namespace

struct RingDirReader::Ring {
  Ring(RingFile mapped, TraceNames& names)
      : file(std::move(mapped)), reader(file.reader()), trace(names) {}
  bool traces() const { return file.owner().role == wire::RingRole::kTrace; }
  void decode(const wire::RecordHead& head, const unsigned char* record, RingChunk& chunk) {
    if (traces() && TraceDecoder::takes(head.type)) {
      trace.decode(head, record, chunk);
    } else {
      decoder.decode(head, record, chunk);
    }
  }

  RingFile file;
  wire::RingReader reader;
  RingDecoder decoder;
  TraceDecoder trace;  // of a ring that traces()
  std::uint64_t events = 0;
  bool idle = true;             // nothing came at the last drain, if there was one
  bool ended = false;           // its writer had ended before the last drain began
  bool drained_at_end = false;  // and that drain has taken place
  bool told = false;            // of damage
};

RingDirReader::RingDirReader(std::filesystem::path dir, std::filesystem::path proc)
    : dir_(std::move(dir)), proc_(std::move(proc)) {}
RingDirReader::~RingDirReader() = default;

void RingDirReader::drain(base::TimeNs now, const Take& take) {
  look_for_new(take);
  if (now >= next_alive_check_ns_) {
    next_alive_check_ns_ = now + kAliveInterval;
    find_ended();
  }
  for (auto& [name, ring] : rings_) drain_one(name, *ring, take);
}

void RingDirReader::drain_open(const Take& take) {
  for (auto& [name, ring] : rings_) drain_one(name, *ring, take);
}

double RingDirReader::fullest() const {
  double most = 0;
  for (const auto& [name, ring] : rings_) most = std::max(most, ring->reader.fullness());
  return most;
}

void RingDirReader::look_for_new(const Take& take) {
  std::error_code error;
  std::filesystem::directory_iterator it(dir_, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    std::string name = it->path().filename().native();
    if (rings_.contains(name) || refused_.contains(name) || !name.starts_with("ring.")) continue;
    if (rings_.size() >= kMaxRings || refused_.size() >= kMaxRefused) continue;
    open_ring(name, take);
  }
  if (error && !dir_told_) {
    dir_told_ = true;
    note("cannot read the ring directory " + dir_.string() + ": " + error.message());
  }
}

void RingDirReader::open_ring(const std::string& name, const Take& take) {
  auto file = RingFile::open(dir_ / name);
  if (!file) {
    if (file.error().code == base::ErrorCode::kNotFound) return;
    note(file.error().message);
    refused_.insert(name);
    return;
  }
  auto ring = std::make_unique<Ring>(std::move(*file), trace_names_);
  const RingOwner& owner = ring->file.owner();
  if (const auto known = known_names_.find(owner.id.pid); known != known_names_.end()) {
    for (const auto& [id, text] : known->second) ring->decoder.learn_name(id, text);
  }
  if (const auto known = known_trace_names_.find(owner.id.pid);
      known != known_trace_names_.end() && ring->traces()) {
    for (const auto& [in_ring, number] : known->second) ring->trace.know(in_ring, number);
  }
  RingChunk nothing;
  take(owner, nothing);
  rings_.emplace(name, std::move(ring));
}

// Only those that have said nothing of late: a writer that writes is alive.
void RingDirReader::find_ended() {
  for (auto& [name, ring] : rings_) {
    if (ring->idle && !ring->ended) {
      ring->ended = !base::process_alive(ring->file.owner().id, proc_);
    }
  }
}

void RingDirReader::drain_one(const std::string& name, Ring& ring, const Take& take) {
  RingChunk chunk;
  ring.idle = true;
  ring.file.reload_role();
  for (;;) {
    const std::size_t count = ring.reader.peek(
        kChunkBytes, [&](const wire::RecordHead& head, const unsigned char* record) {
          ring.decode(head, record, chunk);
        });
    if (count == 0) break;
    ring.idle = false;
    ring.events += count;
    if (!chunk.empty()) take(ring.file.owner(), chunk);
    chunk.clear();
  }
  ring.drained_at_end = ring.ended;
  if (!ring.told && (ring.file.was_cut() || ring.reader.damaged() || ring.decoder.malformed() > 0 ||
                     ring.trace.malformed() > 0)) {
    ring.told = true;
    note("ring " + (dir_ / name).string() +
         (ring.file.was_cut() ? " was cut short by a process; its last records, and all that "
                                "would have followed, are lost"
                              : " is damaged; what could not be read was left out"));
  }
}

void RingDirReader::commit() {
  for (auto it = rings_.begin(); it != rings_.end();) {
    Ring& ring = *it->second;
    ring.reader.commit();
    if (!ring.drained_at_end) {
      ++it;
      continue;
    }
    retire(it->first, ring);
    it = rings_.erase(it);
  }
}

void RingDirReader::add_counts(const Ring& ring, run::RingCounts& to) {
  if (!ring.traces()) {
    to.events += ring.events;
    to.dropped += ring.file.dropped();
    return;
  }
  to.trace_events = to.trace_events.value_or(0) + ring.events;
  to.trace_dropped = to.trace_dropped.value_or(0) + ring.file.dropped();
}

void RingDirReader::retire(const std::string& name, const Ring& ring) {
  add_counts(ring, retired_);
  ended_.push_back(ring.file.owner().id);
  if (!remove_ring(dir_ / name)) refused_.insert(name);
}

void RingDirReader::unlink_all() {
  for (const auto& [name, ring] : rings_) {
    add_counts(*ring, retired_);
    remove_ring(dir_ / name);
  }
  rings_.clear();
}

std::vector<base::ProcessId> RingDirReader::writers() const {
  std::vector<base::ProcessId> ids;
  for (const auto& [name, ring] : rings_) ids.push_back(ring->file.owner().id);
  return ids;
}

bool RingDirReader::claim_stop(pid_t pid) {
  return std::ranges::all_of(rings_, [pid](auto& ring) {
    const RingFile& file = ring.second->file;
    // A trace ring's writer counts no steps.
    return file.owner().id.pid != pid || ring.second->traces() || ring.second->file.claim_stop();
  });
}

void RingDirReader::preload_name(pid_t pid, std::uint32_t id, const std::string& name) {
  known_names_[pid][id] = name;
}

void RingDirReader::preload_trace_name(pid_t pid, std::uint32_t in_ring, std::uint32_t number) {
  known_trace_names_[pid][in_ring] = number;
}

run::RingCounts RingDirReader::counts() const {
  run::RingCounts counts = retired_;
  for (const auto& [name, ring] : rings_) {
    add_counts(*ring, counts);
  }
  return counts;
}

std::vector<std::string> RingDirReader::take_notes() { return std::exchange(notes_, {}); }

}  // namespace flatout::record
