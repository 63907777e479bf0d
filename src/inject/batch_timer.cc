#include "inject/batch_timer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "inject/emit.h"
#include "wire/ring_lock.h"

namespace flatout::inject {
namespace {

constexpr int kMaxStages = 64;
constexpr int kMaxStageDepth = 32;
constexpr std::uint64_t kUnknownBytes = wire::kUnknownBytes;
// A look into /proc costs 10 to 25 us, which a step of a few milliseconds would
// feel. So at most ten batches a second are looked at; the others say that
// they do not know, and shares are those of the batches that do.
constexpr std::int64_t kBetweenLooksNs = 100'000'000;

struct StageNames {
  struct Name {
    char text[96];
    std::uint32_t bytes;
    std::uint32_t said_in;  // generation of the process whose ring knows it
  };
  Name names[kMaxStages];
  int count = 0;
};
StageNames stage_names;

struct OpenStage {
  std::uint32_t stage;
  std::int64_t begin_ns;
  std::int64_t inner_ns;
};

struct ReadBytes {
  std::uint64_t read = kUnknownBytes;
  std::uint64_t disk = kUnknownBytes;
};

struct OpenBatch {
  std::uint32_t generation = 0;
  bool active = false;
  std::uint32_t iterator = 0;
  std::uint32_t samples = 0;
  std::uint32_t last_iterator = 0;
  std::uint32_t next_sequence = 0;
  std::int64_t begin_ns = 0;
  std::int64_t last_end_ns = 0;
  std::int64_t begin_cpu_ns = 0;
  ReadBytes begin_bytes;
  std::int64_t begin_delay_ns = wire::kUnknownNs;
  bool looked = false;
  std::int64_t next_look_ns = 0;
  std::int64_t collate_ns = 0;
  std::int64_t wall_ns[kMaxStages] = {};
  std::uint32_t calls[kMaxStages] = {};
  int depth = 0;
  OpenStage open[kMaxStageDepth] = {};
};
thread_local OpenBatch batch;

std::int64_t thread_cpu_ns() {
  timespec ts{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
  return static_cast<std::int64_t>(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec;
}

std::uint64_t field_of(const char* text, const char* key) {
  const char* at = std::strstr(text, key);
  return at == nullptr ? kUnknownBytes : std::strtoull(at + std::strlen(key), nullptr, 10);
}

// rchar and read_bytes of this thread (proc(5)). The file is opened anew each
// time, so that the program's descriptors are numbered as without flatout.
ReadBytes thread_read_bytes() {
  const int fd = ::open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char text[512];
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return {};
  text[n] = '\0';
  return {field_of(text, "rchar: "), field_of(text, "\nread_bytes: ")};
}

// Nanoseconds that this thread was runnable but waited for a core: the second
// number of schedstat (Documentation/scheduler/sched-stats.rst of the kernel).
std::int64_t thread_run_delay_ns() {
  const int fd = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return wire::kUnknownNs;
  char text[96];
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return wire::kUnknownNs;
  text[n] = '\0';
  const char* second = std::strchr(text, ' ');
  return second == nullptr ? wire::kUnknownNs : std::strtoll(second, nullptr, 10);
}

std::uint64_t difference(std::uint64_t later, std::uint64_t earlier) {
  if (later == kUnknownBytes || earlier == kUnknownBytes || later < earlier) return kUnknownBytes;
  return later - earlier;
}

// Names the ring of this process has not heard yet: all of them after a fork.
void say_names() {
  for (int i = 0; i < stage_names.count; ++i) {
    auto& name = stage_names.names[i];
    if (batch.calls[i] == 0 || name.said_in == generation()) continue;
    name.said_in = generation();
    emit_name(static_cast<std::uint32_t>(i) + 1, name.text, name.bytes);
  }
}

struct BatchEnd {
  std::int64_t end_ns;
  std::int64_t cpu_ns;
  std::int64_t run_delay_ns;
  ReadBytes bytes;
  std::uint64_t batch_bytes;
};

void write_record(const BatchEnd& end) {
  const Lane* here = writing_lane();
  if (here == nullptr) return;
  say_names();
  std::uint32_t stages = 0;
  for (const std::uint32_t calls : batch.calls) stages += calls != 0 ? 1 : 0;
  const auto size =
      static_cast<std::uint32_t>(sizeof(wire::BatchRecord) + stages * sizeof(wire::StageRecord));
  const std::int64_t idle = batch.last_end_ns == 0 ? 0 : batch.begin_ns - batch.last_end_ns;
  const wire::BatchRecord record{
      {static_cast<std::uint8_t>(wire::RecordType::kBatch), 0, here->index, size, end.end_ns},
      batch.begin_ns,
      end.cpu_ns,
      batch.collate_ns,
      idle,
      difference(end.bytes.read, batch.begin_bytes.read),
      difference(end.bytes.disk, batch.begin_bytes.disk),
      end.run_delay_ns,
      end.batch_bytes,
      batch.iterator,
      batch.next_sequence++,
      batch.samples,
      stages};
  wire::RingWriter* writer = ring();
  const wire::RingLock lock(writer->header(), here->tid);
  if (!lock) return;
  unsigned char* at = writer->reserve(size);
  if (at == nullptr) return;
  std::memcpy(at, &record, sizeof record);
  at += sizeof record;
  for (std::uint32_t i = 0; i < kMaxStages; ++i) {
    if (batch.calls[i] == 0) continue;
    const wire::StageRecord stage{i + 1, batch.calls[i], batch.wall_ns[i]};
    std::memcpy(at, &stage, sizeof stage);
    at += sizeof stage;
  }
  writer->publish(size);
}

}  // namespace

bool in_batch() { return batch.active && batch.generation == generation(); }

bool begin_batch(std::uint32_t iterator, std::uint32_t samples) {
  if (in_batch() || ring() == nullptr) return false;
  if (batch.generation != generation()) batch = OpenBatch{};
  batch.generation = generation();
  batch.active = true;
  if (iterator != batch.last_iterator) {
    batch.next_sequence = 0;
    batch.last_end_ns = 0;
  }
  batch.iterator = batch.last_iterator = iterator;
  batch.samples = samples;
  batch.collate_ns = 0;
  batch.depth = 0;
  std::memset(batch.wall_ns, 0, sizeof batch.wall_ns);
  std::memset(batch.calls, 0, sizeof batch.calls);
  batch.looked = now_ns() >= batch.next_look_ns;
  batch.begin_bytes = batch.looked ? thread_read_bytes() : ReadBytes{};
  batch.begin_delay_ns = batch.looked ? thread_run_delay_ns() : wire::kUnknownNs;
  batch.begin_ns = now_ns();
  batch.begin_cpu_ns = thread_cpu_ns();
  return true;
}

void end_batch(std::uint64_t batch_bytes) {
  if (!in_batch()) return;
  while (batch.depth > 0) end_stage();
  const std::int64_t cpu_ns = thread_cpu_ns() - batch.begin_cpu_ns;
  const std::int64_t end_ns = now_ns();
  const std::int64_t delay_ns = batch.looked ? thread_run_delay_ns() : wire::kUnknownNs;
  const bool known = delay_ns >= 0 && batch.begin_delay_ns >= 0;
  write_record({end_ns, cpu_ns, known ? delay_ns - batch.begin_delay_ns : wire::kUnknownNs,
                batch.looked ? thread_read_bytes() : ReadBytes{}, batch_bytes});
  if (batch.looked) batch.next_look_ns = end_ns + kBetweenLooksNs;
  batch.last_end_ns = end_ns;
  batch.active = false;
}

std::uint32_t stage_id(const char* name, std::uint32_t name_bytes) {
  constexpr std::uint32_t kLimit = sizeof(StageNames::Name::text);
  if (name_bytes > kLimit) name_bytes = kLimit;
  for (int i = 0; i < stage_names.count; ++i) {
    const auto& known = stage_names.names[i];
    if (known.bytes == name_bytes && std::memcmp(known.text, name, name_bytes) == 0) {
      return static_cast<std::uint32_t>(i) + 1;
    }
  }
  if (stage_names.count >= kMaxStages) return 0;
  auto& fresh = stage_names.names[stage_names.count++];
  std::memcpy(fresh.text, name, name_bytes);
  fresh.bytes = name_bytes;
  fresh.said_in = 0;
  return static_cast<std::uint32_t>(stage_names.count);
}

bool begin_stage(std::uint32_t stage) {
  if (!in_batch() || batch.depth >= kMaxStageDepth || stage == 0) return false;
  batch.open[batch.depth++] = {stage, now_ns(), 0};
  return true;
}

void end_stage() {
  if (!in_batch() || batch.depth == 0) return;
  const OpenStage& stage = batch.open[--batch.depth];
  const std::int64_t wall = now_ns() - stage.begin_ns;
  if (batch.depth > 0) batch.open[batch.depth - 1].inner_ns += wall;
  if (stage.stage == kCollateStage) {
    batch.collate_ns += wall;
    return;
  }
  batch.wall_ns[stage.stage - 1] += wall - stage.inner_ns;
  ++batch.calls[stage.stage - 1];
}

}  // namespace flatout::inject
