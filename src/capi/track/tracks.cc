#include "capi/track/tracks.h"

#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "capi/track/kept_file.h"
#include "inject/emit.h"

namespace flatout::capi {
namespace {

constexpr int kMostTracks = 64;
// Numbers from 0 on are those of flatout.track, which may be in the same process.
constexpr std::uint32_t kFirstNumber = 1U << 16;
constexpr std::size_t kMostFactBytes = 60'000;  // of a ring's record of 64 KiB
constexpr std::size_t kMostOptionBytes = 512, kMostNotesBytes = 4000, kMostIdBytes = 128;
constexpr int kFullRingWaits = 20;  // of half a millisecond each

enum class TrackState : std::uint8_t { kNone, kOpen, kFinished };

struct Track {
  std::atomic<TrackState> state = TrackState::kNone;
  std::atomic<std::uint32_t> announced = 0;  // the generation of the process that said it
  char* said = nullptr;                      // its track_run; never freed: a child may need it
  std::size_t said_bytes = 0;
  std::atomic<std::uint64_t> lost_values = 0, lost_facts = 0;
};

Track tracks[kMostTracks];
std::atomic<int> opened = 0;
std::atomic<bool> said_a_line = false;

char files[PATH_MAX] = "";
bool on = false;
bool in_trial = false;
bool says_nothing = false;

Track* track_of(int handle) {
  if (handle < 1 || handle > kMostTracks) return nullptr;
  Track& track = tracks[handle - 1];
  return track.state.load(std::memory_order_acquire) == TrackState::kOpen ? &track : nullptr;
}

// A full ring is emptied within some milliseconds, where somebody reads it.
bool written(const char* key, const char* json, std::size_t bytes) {
  for (int wait = 0; wait <= kFullRingWaits; ++wait) {
    if (inject::emit_fact(key, static_cast<std::uint32_t>(std::strlen(key)), json,
                          static_cast<std::uint32_t>(bytes))) {
      return true;
    }
    const timespec pause{0, 500'000};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

void announce_in_this_process(Track& track) {
  const std::uint32_t now = inject::generation();
  if (track.announced.load(std::memory_order_relaxed) == now) return;
  if (track.announced.exchange(now) == now) return;
  track.lost_values = 0;
  track.lost_facts = 0;
  if (!written("track_run", track.said, track.said_bytes)) track.lost_facts.fetch_add(1);
}

void say_once(const char* what, const char* why) {
  if (says_nothing || said_a_line.exchange(true)) return;
  char line[512];
  const int n = std::snprintf(line, sizeof line,
                              "flatout: %.300s was not kept: %s; the program goes on\n", what, why);
  if (n <= 0) return;
  for (char* at = line; at < line + n - 1 && *at != '\0'; ++at) {
    if (static_cast<unsigned char>(*at) < 0x20 || *at == 0x7f) *at = '?';
  }
  if (::write(STDERR_FILENO, line, std::strlen(line)) < 0) return;
}

Kept lost(Track& track) {
  track.lost_facts.fetch_add(1, std::memory_order_relaxed);
  return Kept::kLost;
}

void head(JsonText& out, int handle) {
  out.raw(R"({"track":)").whole(static_cast<std::int64_t>(kFirstNumber) + handle - 1);
}

void make_id(const char* given, JsonText& out) {
  char id[kMostIdBytes + 1] = "";
  std::size_t size = 0;
  for (const char* at = given == nullptr ? "" : given; *at != '\0' && size < kMostIdBytes; ++at) {
    const bool may_not = std::strchr("/\\#?%: \t\n\r\v\f", *at) != nullptr;
    id[size++] = may_not ? '-' : *at;
  }
  std::uint8_t drawn[8] = {};
  if (size == 0 && ::getrandom(drawn, sizeof drawn, GRND_NONBLOCK) < 0) {
    const auto now = static_cast<std::uint64_t>(inject::now_ns());
    std::memcpy(drawn, &now, sizeof drawn);
  }
  for (const std::uint8_t byte : drawn) {
    if (given != nullptr && *given != '\0') break;
    id[size++] = "abcdefghijklmnopqrstuvwxyz0123456789"[byte % 36];
  }
  id[size] = '\0';
  out.quoted(id, kMostIdBytes);
}

void add_tags(const char* tags, JsonText& out) {
  out.raw("[");
  bool first = true;
  for (const char* at = tags == nullptr ? "" : tags; *at != '\0';) {
    while (*at == ' ' || *at == ',') ++at;
    std::size_t bytes = std::strcspn(at, ",");
    const std::size_t whole = bytes;
    while (bytes > 0 && at[bytes - 1] == ' ') --bytes;
    char tag[kMostOptionBytes + 1];
    if (bytes > kMostOptionBytes) bytes = kMostOptionBytes;
    std::memcpy(tag, at, bytes);
    tag[bytes] = '\0';
    if (bytes > 0) out.raw(first ? "" : ",").quoted(tag, kMostOptionBytes);
    first = first && bytes == 0;
    at += whole;
  }
  out.raw("]");
}

Kept write_fact(Track& track, int handle, const char* key, const JsonText& fact,
                std::int64_t step) {
  if (fact.failed()) return lost(track);
  if (fact.size() <= kMostFactBytes) {
    return written(key, fact.data(), fact.size()) ? Kept::kYes : lost(track);
  }
  if (files[0] == '\0') return lost(track);
  const KeptFile kept = keep_json(files, fact.data(), fact.size());
  if (kept.error != 0) {
    say_once("what the program tracks", std::strerror(kept.error));
    return lost(track);
  }
  JsonText small;
  head(small, handle);
  if (step != wire::kNoStep) small.raw(R"(,"step":)").whole(step);
  small.raw(R"(,"in_file":)").quoted(kept.name, sizeof kept.name).raw("}");
  if (small.failed() || !written(key, small.data(), small.size())) return lost(track);
  return Kept::kYes;
}

}  // namespace

void begin_tracking(const char* files_folder, bool trial, bool quiet) {
  const std::size_t bytes = files_folder == nullptr ? 0 : ::strnlen(files_folder, sizeof files);
  if (bytes > 0 && bytes < sizeof files) std::memcpy(files, files_folder, bytes + 1);
  in_trial = trial;
  says_nothing = quiet;
  on = true;
}

bool tracking() { return on; }

int open_track(const TrackOptions& options) {
  if (inject::writing_lane() == nullptr) return 0;
  const int handle = opened.fetch_add(1) + 1;
  if (handle > kMostTracks) {
    opened.store(kMostTracks);
    say_once("a tracked run", "a process has 64 at most");
    return 0;
  }
  Track& track = tracks[handle - 1];
  JsonText said;
  head(said, handle);
  said.raw(R"(,"source":"flatout","id":)");
  make_id(options.id, said);
  const struct {
    const char *name, *value;
    std::size_t most;
  } texts[] = {{R"(,"project":)", options.project, kMostOptionBytes},
               {R"(,"name":)", options.name, kMostOptionBytes},
               {R"(,"group":)", options.group, kMostOptionBytes},
               {R"(,"job_type":)", options.job_type, kMostOptionBytes},
               {R"(,"notes":)", options.notes, kMostNotesBytes}};
  for (const auto& text : texts) said.raw(text.name).quoted(text.value, text.most);
  said.raw(R"(,"tags":)");
  add_tags(options.tags, said);
  said.raw(options.resumed ? R"(,"mode":"online","resumed":true})"
                           : R"(,"mode":"online","resumed":false})");
  track.said_bytes = said.size();
  track.said = said.release();
  if (track.said == nullptr) return 0;
  if (in_trial) track.announced = inject::generation();  // it is not said at all
  if (!in_trial) announce_in_this_process(track);
  track.state.store(TrackState::kOpen, std::memory_order_release);
  return handle;
}

Kept track_fact(int handle, const char* key, const JsonText& body, std::int64_t step) {
  Track* track = track_of(handle);
  if (track == nullptr) return Kept::kInvalid;
  if (in_trial || inject::writing_lane() == nullptr) return Kept::kOff;
  announce_in_this_process(*track);
  JsonText fact;
  head(fact, handle);
  if (step != wire::kNoStep) fact.raw(R"(,"step":)").whole(step);
  if (body.size() > 0) fact.raw(",").raw(body.data(), body.size());
  fact.raw("}");
  return body.failed() ? lost(*track) : write_fact(*track, handle, key, fact, step);
}

Kept track_number(int handle, const char* name, std::size_t name_bytes, double value,
                  std::int64_t step) {
  Track* track = track_of(handle);
  if (track == nullptr) return Kept::kInvalid;
  if (inject::writing_lane() == nullptr) return Kept::kOff;
  if (!in_trial) announce_in_this_process(*track);
  const inject::NamedNumber number{name, static_cast<std::uint32_t>(name_bytes), value};
  const auto in_ring = kFirstNumber + static_cast<std::uint32_t>(handle) - 1;
  if (inject::emit_values(&number, 1, step, in_trial ? 0 : in_ring) == 1) return Kept::kYes;
  track->lost_values.fetch_add(1, std::memory_order_relaxed);
  return Kept::kLost;
}

Kept track_file(int handle, const char* path, const char* shown, const char* artifact,
                const char* type) {
  Track* track = track_of(handle);
  if (track == nullptr) return Kept::kInvalid;
  if (in_trial || inject::writing_lane() == nullptr) return Kept::kOff;
  if (files[0] == '\0') return lost(*track);
  const KeptFile kept = keep_file(files, path);
  if (kept.error != 0) {
    say_once(path, kept.error == EINVAL  ? "it is no file"
                   : kept.error == EFBIG ? "it is too large"
                                         : std::strerror(kept.error));
    const bool wrong = kept.error == EINVAL || kept.error == ENOENT;
    return wrong ? Kept::kInvalid : lost(*track);
  }
  constexpr std::size_t kMostPathBytes = 4096;
  JsonText body;
  body.raw(R"("path":)").quoted(shown, kMostPathBytes);
  body.raw(R"(,"file":)").quoted(kept.name, sizeof kept.name);
  body.raw(R"(,"bytes":)").whole(kept.bytes);
  if (artifact == nullptr) {
    body.raw(R"(,"kind":"file")");
  } else {
    constexpr std::size_t kVersionBytes = 12;  // as flatout.track has it
    body.raw(R"(,"kind":"artifact","artifact":{"name":)").quoted(artifact, kMostOptionBytes);
    body.raw(R"(,"type":)").quoted(type, kMostOptionBytes);
    body.raw(R"(,"version":)").quoted(kept.name, kVersionBytes).raw(R"(,"aliases":["latest"]})");
  }
  return track_fact(handle, "track_file", body, wire::kNoStep);
}

Kept finish_track(int handle, int exit_code) {
  Track* track = track_of(handle);
  if (track == nullptr) return Kept::kInvalid;
  JsonText body;
  body.raw(R"("exit_code":)").whole(exit_code);
  const Kept kept = track_fact(handle, "track_end", body, wire::kNoStep);
  const std::uint64_t values = track->lost_values, facts = track->lost_facts;
  if (values + facts > 0) {
    JsonText losses;
    losses.raw(R"("values":)").whole(static_cast<std::int64_t>(values));
    losses.raw(R"(,"facts":)").whole(static_cast<std::int64_t>(facts));
    (void)track_fact(handle, "track_loss", losses, wire::kNoStep);
  }
  track->state.store(TrackState::kFinished, std::memory_order_release);
  return kept;
}

}  // namespace flatout::capi
