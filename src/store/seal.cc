#include "store/seal.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/process.h"
#include "store/curves/kept_curves.h"
#include "store/json_fields.h"
#include "store/log_file.h"
#include "store/sealed/sealed_reader.h"
#include "store/sealed/sealed_schema.h"
#include "store/sealed/sealed_writer.h"
#include "store/sealed/sealer.h"
#include "store/staging.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kTemporaryName = "run.sqlite.tmp";

// Bytes of payload sealed a second: just under a third of what
// bench/store_seal_bench.cc measures for its slowest log. Of payload, since a
// point takes from 0.3 to 14 bytes of a log, and much the same time whatever it
// takes.
constexpr double kSealedBytesPerSecond = 30e6;

// A lost run of another machine may still be written there; after a day of
// silence nobody does.
constexpr base::DurationNs kForeignLostNs = 24LL * 3600 * base::kSecond;

bool gone(const Result<void>& done) { return done || done.error().code == ErrorCode::kNotFound; }

bool seals_within(const fs::path& folder, base::DurationNs budget) {
  const auto log = open_log(folder);
  if (!log) return true;  // nothing to seal, or the error is reported by sealing
  const std::uint64_t most = sealable_bytes(budget);
  return FrameReader::payload_bytes(*log->source, log->status.bytes, most) <= most;
}

// The log and what names it; in this order, so that a crash leaves a log that
// can still be found.
Result<void> remove_log(Disk& disk, const fs::path& folder) {
  if (auto done = remove_staged(disk, folder); !done) return done;
  if (auto done = disk.remove(folder / kLogFileName); !gone(done)) return done;
  return {};
}

// Whether nothing can be added to the run any more.
bool is_over(const RunSummary& summary, const Viewpoint& from) {
  if (summary.end) return true;
  if (summary.state != run::RunState::kLost) return false;
  if (summary.info.recorder_pid == 0) return false;  // its start is damaged: better keep the log
  if (summary.info.host != from.host) {
    return from.wall_ns - summary.log_changed_ns > kForeignLostNs;
  }
  if (summary.info.boot_id != base::boot_id(from.proc)) return true;
  std::error_code unknown;  // rings that hold records are recovered first
  return summary.info.ring_dir.empty() || !fs::exists(summary.info.ring_dir, unknown);
}

Result<void> fill(Sealer& sealer, OpenLog& log) {
  auto reader = FrameReader::open(*log.source, log.name);
  if (!reader) return std::unexpected(reader.error());
  for (;;) {
    const auto frame = reader->next();
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) break;
    if (auto done = sealer.add(**frame); !done) return done;
  }
  for (const auto& damage : reader->damage()) {
    if (auto done = sealer.add_note(damage.text); !done) return done;
  }
  return {};
}

// The new file with all that is in the log; gives the digest of what was put in.
Result<SealedDigest> write_sealed(OpenLog& log, const fs::path& path, Disk& disk) {
  auto file = disk.create(path);
  if (!file) return std::unexpected(file.error());
  auto writer = SealedWriter::create(std::move(*file), path.string(), log.status.bytes);
  if (!writer) return std::unexpected(writer.error());
  Sealer sealer(*writer);
  if (auto done = fill(sealer, log); !done) return std::unexpected(done.error());
  const std::string facts =
      dump({{"bytes", log.status.bytes}, {"changed_ns", log.status.changed_ns}});
  if (auto done = writer->put(kLogKey, facts); !done) return std::unexpected(done.error());
  if (auto done = sealer.finish(); !done) return std::unexpected(done.error());
  return sealer.digest();
}

Result<void> verify(const fs::path& path, const SealedDigest& put_in, Disk& disk) {
  auto reader = SealedReader::open(path, disk);
  if (!reader) return std::unexpected(reader.error());
  const SealedDigest came_out = digest_of(*reader);
  if (!reader->damage().any() && came_out == put_in) return {};
  return base::fail(ErrorCode::kCorrupt,
                    path.string() +
                        " does not give back what was written into it; the log of the "
                        "run is kept, check the disk");
}

Result<void> sync_file(const fs::path& path, Disk& disk) {
  auto file = disk.open(path);
  if (!file) return std::unexpected(file.error());
  return (*file)->sync();
}

Result<void> replace_log(OpenLog& log, const fs::path& folder, Disk& disk) {
  const fs::path temporary = folder / kTemporaryName;
  if (auto done = disk.remove(temporary); !gone(done)) return done;  // of a crash
  const auto put_in = write_sealed(log, temporary, disk);
  Result<void> done;
  if (!put_in) done = std::unexpected(put_in.error());
  if (done) done = verify(temporary, *put_in, disk);
  if (done) done = sync_file(temporary, disk);
  if (done) done = disk.rename(temporary, folder / kSealedFileName);
  if (!done) {
    (void)disk.remove(temporary);
    return done;
  }
  if (auto synced = disk.sync_dir(folder); !synced) return synced;
  if (auto removed = remove_log(disk, folder); !removed) return removed;
  return disk.sync_dir(folder);
}

// A crash between rename and removal leaves both.
Result<SealResult> finish_earlier(const fs::path& folder, const fs::path& log, Disk& disk) {
  std::error_code unknown;
  if (!fs::exists(log, unknown)) return SealResult::kAlready;
  auto reader = SealedReader::open(folder / kSealedFileName, disk);
  if (!reader) return std::unexpected(reader.error());
  (void)digest_of(*reader);
  if (reader->damage().any()) {
    return base::fail(
        ErrorCode::kCorrupt,
        (folder / kSealedFileName).string() + " is damaged; remove it, the log beside it is whole");
  }
  if (auto done = remove_log(disk, folder); !done) return std::unexpected(done.error());
  return SealResult::kAlready;
}

}  // namespace

Result<SealResult> seal_run(const Home& home, const std::string& id, const Viewpoint& from,
                            Disk& disk) {
  const fs::path folder = home.folder(id);
  std::error_code unknown;
  if (fs::exists(folder / kSealedFileName, unknown)) {
    return finish_earlier(folder, log_path(folder), disk);
  }
  auto log = open_log_to_seal(folder, disk);
  if (!log) return std::unexpected(log.error());
  const auto locked = log->file->lock();
  if (!locked && locked.error().code == ErrorCode::kExists) return SealResult::kNotYet;
  const auto summary = read_summary(folder, from);
  if (!summary) return std::unexpected(summary.error());
  if (summary->sealed) return SealResult::kAlready;  // by another flatout, just now
  if (!is_over(*summary, from)) return SealResult::kNotYet;
  log->status = log->file->status().value_or(log->status);  // it may have grown before the lock
  if (auto done = replace_log(*log, folder, disk); !done) return std::unexpected(done.error());
  keep_curves(folder);
  return SealResult::kSealed;
}

std::uint64_t sealable_bytes(base::DurationNs budget) {
  return static_cast<std::uint64_t>(kSealedBytesPerSecond * static_cast<double>(budget) / 1e9);
}

Result<SealResult> seal_within(const Home& home, const std::string& id, const Viewpoint& from,
                               base::DurationNs budget) {
  const fs::path folder = home.folder(id);
  // A staged log is of use to no other machine: it is moved at any cost.
  const bool staged = staged_log(folder).has_value();
  if (!staged && !seals_within(folder, budget)) return SealResult::kNotYet;
  return seal_run(home, id, from);
}

SealSweep seal_ended(const Home& home, const Viewpoint& from, const base::Clock& clock,
                     base::DurationNs budget) {
  SealSweep sweep;
  const auto ids = home.ids();
  if (!ids) return sweep;
  std::vector<std::pair<std::uintmax_t, std::string>> logs;
  for (const auto& id : *ids) {
    std::error_code missing;
    const auto bytes = fs::file_size(log_path(home.folder(id)), missing);
    if (!missing) logs.emplace_back(bytes, id);
  }
  std::ranges::sort(logs);
  const base::TimeNs end = clock.monotonic() + budget;
  for (const auto& [bytes, id] : logs) {
    const base::DurationNs left = end - clock.monotonic();
    if (left <= 0 || !seals_within(home.folder(id), left)) {
      const auto summary = read_summary(home.folder(id), from);
      sweep.left += summary && is_over(*summary, from) ? 1 : 0;
      continue;
    }
    const auto done = seal_run(home, id, from);
    if (!done && done.error().code != ErrorCode::kInvalid) {
      sweep.problems.push_back(done.error().message);
    }
    sweep.sealed += done && *done == SealResult::kSealed ? 1 : 0;
  }
  return sweep;
}

}  // namespace flatout::store
