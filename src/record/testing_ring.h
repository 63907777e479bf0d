// Rings made by hand, as an observed process makes them, in a temporary
// directory beside a pretended /proc. For tests only.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "run/phase.h"
#include "wire/ring.h"

namespace flatout::record {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "flatout-record-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
    std::filesystem::create_directories(rings());
    std::filesystem::create_directories(proc());
  }
  ~TempDir() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::filesystem::path rings() const { return path_ / "rings"; }
  std::filesystem::path proc() const { return path_ / "proc"; }

  // A process that lives (state 'S') or is a zombie ('Z') in the pretended /proc.
  void process(int pid, std::uint64_t start, char state = 'S') const {
    std::filesystem::create_directories(proc() / std::to_string(pid));
    std::ofstream(proc() / std::to_string(pid) / "stat")
        << pid << " (python3) " << state << " 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 " << start
        << " 0 0\n";
  }
  void end_process(int pid) const { std::filesystem::remove_all(proc() / std::to_string(pid)); }

 private:
  std::filesystem::path path_;
};

// The bytes of one record: head, body, padding.
inline std::vector<unsigned char> record_bytes(wire::RecordType type, std::int64_t t_ns,
                                               std::string_view body, std::uint8_t phase = 0,
                                               std::uint16_t lane = 0) {
  const wire::RecordHead head{
      .type = static_cast<std::uint8_t>(type),
      .phase = phase,
      .lane = lane,
      .bytes = wire::padded8(static_cast<std::uint32_t>(sizeof(wire::RecordHead) + body.size())),
      .t_ns = t_ns};
  std::vector<unsigned char> bytes(head.bytes, 0);
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!body.empty()) std::memcpy(bytes.data() + sizeof head, body.data(), body.size());
  return bytes;
}

// What follows the head of a fixed record, as bytes.
template <typename Record>
std::string body_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record) + sizeof(wire::RecordHead),
          sizeof record - sizeof(wire::RecordHead)};
}

inline std::vector<unsigned char> phase_bytes(bool begin, run::Phase phase, std::int64_t t_ns,
                                              std::uint16_t lane = 0) {
  wire::PhaseRecord record{};
  record.flags = begin ? wire::kGradEnabled : 0;
  record.id = 5;
  record.value = 64;
  return record_bytes(begin ? wire::RecordType::kPhaseBegin : wire::RecordType::kPhaseEnd, t_ns,
                      body_of(record), static_cast<std::uint8_t>(phase), lane);
}

inline std::vector<unsigned char> fact_bytes(const std::string& key, const std::string& json,
                                             std::int64_t t_ns = 1) {
  wire::FactRecord record{};
  record.key_bytes = static_cast<std::uint32_t>(key.size());
  record.json_bytes = static_cast<std::uint32_t>(json.size());
  return record_bytes(wire::RecordType::kFact, t_ns, body_of(record) + key + json);
}

inline std::vector<unsigned char> value_bytes(const std::string& name, double value,
                                              std::int64_t step, std::int64_t t_ns) {
  wire::ValueRecord record{};
  record.value = value;
  record.step = step;
  record.name_bytes = static_cast<std::uint32_t>(name.size());
  return record_bytes(wire::RecordType::kValue, t_ns, body_of(record) + name);
}

inline std::vector<unsigned char> name_bytes(std::uint32_t id, const std::string& name) {
  wire::NameRecord record{};
  record.id = id;
  record.name_bytes = static_cast<std::uint32_t>(name.size());
  return record_bytes(wire::RecordType::kName, 1, body_of(record) + name);
}

inline std::vector<unsigned char> batch_bytes(std::int64_t begin_ns, std::int64_t end_ns,
                                              const std::vector<wire::StageRecord>& stages) {
  wire::BatchRecord record{};
  record.begin_ns = begin_ns;
  record.cpu_ns = 11;
  record.collate_ns = 12;
  record.idle_ns = 13;
  record.read_bytes = 14;
  record.disk_bytes = 15;
  record.run_delay_ns = 19;
  record.batch_bytes = 20;
  record.iterator = 16;
  record.sequence = 17;
  record.samples = 18;
  record.stage_count = static_cast<std::uint32_t>(stages.size());
  std::string body = body_of(record);
  for (const auto& stage : stages) {
    body.append(reinterpret_cast<const char*>(&stage), sizeof stage);
  }
  return record_bytes(wire::RecordType::kBatch, end_ns, body);
}

struct RingSpec {
  int pid = 0;
  std::uint64_t start = 100;
  int parent = 1;
  wire::RingRole role = wire::RingRole::kMain;
  int worker_id = -1;
  int rank = -1;
  std::uint64_t capacity = 4096;
};

// The writer's side. Its mapping ends with it, as with a process that dies.
class HandMadeRing {
 public:
  HandMadeRing(const std::filesystem::path& dir, const RingSpec& spec)
      : path(dir / ("ring." + std::to_string(spec.pid) + "." + std::to_string(spec.start) +
                    (spec.role == wire::RingRole::kTrace ? ".trace" : ""))),
        bytes_(wire::kRingHeaderBytes + spec.capacity) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (::ftruncate(fd, static_cast<off_t>(bytes_)) != 0) ::abort();
    base_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (base_ == MAP_FAILED) ::abort();
    wire::RingHeader& head = header();
    std::memcpy(head.magic, wire::kRingMagic, sizeof head.magic);
    head.version = wire::kWireVersion;
    head.role = static_cast<std::uint32_t>(spec.role);
    head.capacity = spec.capacity;
    head.pid = spec.pid;
    head.parent_pid = spec.parent;
    head.start_ticks = spec.start;
    head.created_ns = 77;
    head.worker_id = spec.worker_id;
    head.rank = spec.rank;
  }
  ~HandMadeRing() { ::munmap(base_, bytes_); }
  HandMadeRing(const HandMadeRing&) = delete;
  HandMadeRing& operator=(const HandMadeRing&) = delete;

  wire::RingHeader& header() { return *static_cast<wire::RingHeader*>(base_); }
  unsigned char* data() { return static_cast<unsigned char*>(base_) + wire::kRingHeaderBytes; }

  bool write(const std::vector<unsigned char>& record) {
    wire::RingWriter writer(&header(), data());
    const auto size = static_cast<std::uint32_t>(record.size());
    unsigned char* at = writer.reserve(size);
    if (at == nullptr) return false;
    std::memcpy(at, record.data(), record.size());
    writer.publish(size);
    return true;
  }

  const std::filesystem::path path;

 private:
  std::size_t bytes_;
  void* base_ = nullptr;
};

}  // namespace flatout::record
