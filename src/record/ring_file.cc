#include "record/ring_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "record/ring_guard.h"
#include "wire/ring_segment.h"

namespace flatout::record {
namespace {

base::Result<void> check_header(const wire::RingHeader& header, std::uint64_t capacity,
                                std::uint64_t bytes, const base::ProcessId& named) {
  std::string problem;
  if (std::memcmp(header.magic, wire::kRingMagic, sizeof header.magic) != 0) {
    problem = "it does not begin as a ring";
  } else if (header.version != wire::kWireVersion) {
    problem = "its version is " + std::to_string(header.version) + ", known is " +
              std::to_string(wire::kWireVersion);
  } else if (!std::has_single_bit(capacity) || capacity < sizeof(wire::RecordHead) ||
             capacity > wire::kMaxRingBytes) {
    problem = "its capacity of " + std::to_string(capacity) + " bytes is impossible";
  } else if (bytes != wire::kRingHeaderBytes + capacity) {
    problem = "it has " + std::to_string(bytes) + " bytes and claims " +
              std::to_string(wire::kRingHeaderBytes + capacity);
  } else if (header.pid != named.pid || header.start_ticks != named.start_ticks) {
    problem = "its name and its header name different processes";
  } else if (header.role > static_cast<std::uint32_t>(wire::RingRole::kTrace)) {
    problem = "its role is not known";
  }
  if (problem.empty()) return {};
  return base::fail(base::ErrorCode::kCorrupt, problem);
}

template <typename Number>
bool cut_number(std::string_view& text, Number& out) {
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (err != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<base::ProcessId> parse_ring_name(std::string_view name) {
  constexpr std::string_view kPrefix = "ring.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  base::ProcessId id;
  if (!cut_number(name, id.pid) || id.pid <= 0 || !name.starts_with('.')) return std::nullopt;
  name.remove_prefix(1);
  if (!cut_number(name, id.start_ticks)) return std::nullopt;
  if (!name.empty() && name != ".trace") return std::nullopt;
  return id;
}

bool remove_ring(const std::filesystem::path& path) {
  const auto named = parse_ring_name(path.filename().native());
  const int segment = named ? wire::segment_of(path.c_str()) : -1;
  if (::unlink(path.c_str()) != 0) return false;
  if (segment >= 0) wire::remove_segment(segment, named->pid);
  return true;
}

void remove_rings(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  std::filesystem::directory_iterator it(dir, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (parse_ring_name(it->path().filename().native())) entries.push_back(it->path());
  }
  for (const auto& entry : entries) remove_ring(entry);
}

base::Result<RingFile> RingFile::open(const std::filesystem::path& path) {
  if (!parse_ring_name(path.filename().native()))
    return base::fail(base::ErrorCode::kCorrupt, path.string() + " is not named as a ring");
  if (const int id = wire::segment_of(path.c_str()); id >= 0) return open_segment(id, path);
  const base::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return base::fail_errno(errno, "cannot open ring " + path.string());
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) {
    return base::fail_errno(errno, "cannot look at ring " + path.string());
  }
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  if (!S_ISREG(info.st_mode) || bytes <= wire::kRingHeaderBytes ||
      bytes > wire::kRingHeaderBytes + wire::kMaxRingBytes) {
    return base::fail(base::ErrorCode::kCorrupt,
                      "ring " + path.string() + " is skipped: its size is impossible");
  }
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (base == MAP_FAILED) return base::fail_errno(errno, "cannot map ring " + path.string());
  return checked(base, bytes, path);
}

base::Result<RingFile> RingFile::open_segment(int id, const std::filesystem::path& path) {
  const wire::Segment segment = wire::attach_segment(id);
  if (segment.at == nullptr) return base::fail_errno(errno, "cannot map ring " + path.string());
  if (segment.bytes <= wire::kRingHeaderBytes) {
    ::munmap(segment.at, segment.bytes);
    return base::fail(base::ErrorCode::kCorrupt,
                      "ring " + path.string() + " is skipped: its size is impossible");
  }
  return checked(segment.at, segment.bytes, path);
}

base::Result<RingFile> RingFile::checked(void* base, std::size_t bytes,
                                         const std::filesystem::path& path) {
  if (!guard_map(base, bytes)) {
    ::munmap(base, bytes);
    return base::fail(base::ErrorCode::kUnavailable,
                      "ring " + path.string() + " is skipped: too many are open");
  }
  RingFile ring(base, bytes);
  const auto named = parse_ring_name(path.filename().native());
  if (auto fits = check_header(*ring.header_, ring.capacity_, bytes, *named); !fits) {
    return base::fail(base::ErrorCode::kCorrupt,
                      "ring " + path.string() + " is skipped: " + fits.error().message);
  }
  return ring;
}

RingFile::RingFile(void* base, std::size_t bytes)
    : header_(static_cast<wire::RingHeader*>(base)),
      bytes_(bytes),
      capacity_(header_->capacity),
      owner_{.id = {.pid = header_->pid, .start_ticks = header_->start_ticks},
             .parent = header_->parent_pid,
             .role = static_cast<wire::RingRole>(header_->role),
             .worker_id = header_->worker_id,
             .rank = header_->rank,
             .created_ns = header_->created_ns} {}

RingFile::RingFile(RingFile&& other) noexcept
    : header_(std::exchange(other.header_, nullptr)),
      bytes_(other.bytes_),
      capacity_(other.capacity_),
      owner_(other.owner_) {}

RingFile& RingFile::operator=(RingFile&& other) noexcept {
  std::swap(header_, other.header_);
  std::swap(bytes_, other.bytes_);
  std::swap(capacity_, other.capacity_);
  std::swap(owner_, other.owner_);
  return *this;
}

RingFile::~RingFile() {
  if (header_ == nullptr) return;
  unguard_map(header_);
  ::munmap(header_, bytes_);
}

bool RingFile::was_cut() const { return record::was_cut(header_); }

void RingFile::reload_role() {
  const auto role = std::atomic_ref(header_->role).load(std::memory_order_acquire);
  if (role != static_cast<std::uint32_t>(wire::RingRole::kWorker)) return;
  owner_.role = wire::RingRole::kWorker;
  owner_.worker_id = header_->worker_id;
}

wire::RingReader RingFile::reader() const {
  const auto* data = reinterpret_cast<const unsigned char*>(header_) + wire::kRingHeaderBytes;
  return {header_, data, capacity_};
}

}  // namespace flatout::record
