#include "store/point_scan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "run/plausible.h"
#include "store/codec.h"
#include "store/log_file.h"
#include "store/seal.h"
#include "store/sealed/packing.h"
#include "store/sealed/sealed_reader.h"
#include "store/sealed/sealed_schema.h"

namespace flatout::store {

using base::Result;

namespace {

constexpr std::size_t kTailBytes = 4096;

constexpr FrameTypes types_of(ScanOf what) {
  using enum FrameType;
  switch (what) {
    case ScanOf::kPoints:
      return FrameTypes::only({kInfo, kProc, kSamples, kValues, kEnd});
    case ScanOf::kValues:
      return FrameTypes::only({kInfo, kProc, kValues, kEnd});
    case ScanOf::kFacts:
      break;
  }
  return FrameTypes::only({kInfo, kProc, kFact, kEnd});
}

}  // namespace

struct PointScan::State {
  // Either of the two.
  std::optional<OpenLog> log;
  std::optional<FrameReader> frames;
  std::optional<FrameReader> again;  // of the same log, wherever somebody looks
  std::optional<SealedReader> sealed;
  bool read_sealed = false;
  bool met_end = false;
  ScanOf what = ScanOf::kPoints;
  run::RunInfo info;
  ValueColumns columns;
  std::vector<ChunkHead> heads;

  void take(FrameType type, std::string_view bytes, PointPlace place, PointTaker& taker);
  Result<void> next_of_log(PointTaker& taker);
  void next_of_sealed(PointTaker& taker);
  void chunks_of_sealed(PointTaker& taker);
  DiskFile& file() { return sealed ? sealed->file() : *log->file; }
  std::optional<std::string_view> payload_of(PointPlace place, FrameType type);
};

void PointScan::State::take(FrameType type, std::string_view bytes, PointPlace place,
                            PointTaker& taker) {
  switch (type) {
    case FrameType::kValues:
      if (decode_value_columns(bytes, columns)) taker.values(columns, place);
      break;
    case FrameType::kSamples:
      if (const auto samples = decode_samples(bytes)) taker.samples(*samples, place);
      break;
    case FrameType::kProc:
      if (const auto proc = decode_proc(bytes); proc && run::plausible(*proc)) taker.proc(*proc);
      break;
    case FrameType::kInfo:
      if (auto known = decode_info(bytes); known && run::plausible(*known)) info = *known;
      break;
    case FrameType::kFact:
      if (what != ScanOf::kFacts) break;
      if (const auto fact = decode_fact(bytes); fact && run::plausible(fact->value)) {
        taker.fact(fact->pid, fact->value);
      }
      break;
    case FrameType::kEnd:
      met_end = true;
      break;
    default:
      break;
  }
}

Result<void> PointScan::State::next_of_log(PointTaker& taker) {
  frames->go_on();
  while (taker.wants_more()) {
    const auto frame = frames->next();
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) return {};
    take((*frame)->type, (*frame)->payload,
         {.at = static_cast<std::int64_t>((*frame)->offset), .source = 0}, taker);
  }
  return {};
}

std::optional<std::string_view> PointScan::State::payload_of(PointPlace place, FrameType type) {
  again->seek(static_cast<std::uint64_t>(place.at));
  const auto frame = again->next();
  const bool same = frame && *frame && (*frame)->type == type &&
                    (*frame)->offset == static_cast<std::uint64_t>(place.at);
  return same ? std::optional((*frame)->payload) : std::nullopt;
}

// It never changes: there is one pass.
void PointScan::State::next_of_sealed(PointTaker& taker) {
  if (std::exchange(read_sealed, true)) return;
  if (const auto known = sealed->value(kInfoKey)) take(FrameType::kInfo, *known, {}, taker);
  sealed->stated(
      [&](StatedRow row, std::int64_t type, std::string_view bytes) {
        if (type > 0 && type <= UINT8_MAX) {
          take(static_cast<FrameType>(type), bytes, {.at = row.seq, .source = row.event ? 1 : 0},
               taker);
        }
        return taker.wants_more();
      },
      types_of(what));
  if (what == ScanOf::kPoints) chunks_of_sealed(taker);
}

void PointScan::State::chunks_of_sealed(PointTaker& taker) {
  heads = sealed->heads();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const ChunkHead& head = heads[i];
    taker.chunk({.key = head.key,
                 .first_ns = head.t_min,
                 .last_ns = head.t_max,
                 .count = head.stats.count,
                 .finite = head.stats.finite,
                 .min = head.stats.min,
                 .max = head.stats.max},
                {.at = static_cast<std::int64_t>(i), .source = 2});
  }
}

PointScan::PointScan(std::unique_ptr<State> state) : state_(std::move(state)) {}
PointScan::PointScan(PointScan&&) noexcept = default;
PointScan& PointScan::operator=(PointScan&&) noexcept = default;
PointScan::~PointScan() = default;

Result<PointScan> PointScan::open(const std::filesystem::path& folder, ScanOf what) {
  auto state = std::make_unique<State>();
  state->what = what;
  auto sealed = SealedReader::open(folder / kSealedFileName, system_disk());
  if (sealed) {
    state->sealed.emplace(std::move(*sealed));
    return PointScan(std::move(state));
  }
  auto log = open_log(folder);
  // Sealed between the two looks, or a sealed form that cannot be read and no log.
  if (!log && log.error().code == base::ErrorCode::kNotFound) {
    sealed = SealedReader::open(folder / kSealedFileName, system_disk());
    if (!sealed) {
      return std::unexpected(sealed.error().code == base::ErrorCode::kNotFound ? log.error()
                                                                               : sealed.error());
    }
    state->sealed.emplace(std::move(*sealed));
    return PointScan(std::move(state));
  }
  if (!log) return std::unexpected(log.error());
  state->log.emplace(std::move(*log));
  for (auto* reader : {&state->frames, &state->again}) {
    auto frames = FrameReader::open(*state->log->source, state->log->name);
    if (!frames) return std::unexpected(frames.error());
    reader->emplace(std::move(*frames));
  }
  state->frames->want(types_of(what));
  return PointScan(std::move(state));
}

bool PointScan::sealed() const { return state_->sealed.has_value(); }
const run::RunInfo& PointScan::info() const { return state_->info; }

Result<void> PointScan::next(PointTaker& taker) {
  if (!sealed()) return state_->next_of_log(taker);
  state_->next_of_sealed(taker);
  return {};
}

void PointScan::next_chunks(PointTaker& taker) {
  if (sealed() && !std::exchange(state_->read_sealed, true)) state_->chunks_of_sealed(taker);
}

bool PointScan::ended() const { return sealed() || state_->met_end; }

Result<RecordingStamp> PointScan::stamp() {
  DiskFile& file = state_->file();
  const auto status = file.status();
  if (!status) return std::unexpected(status.error());
  std::string tail(std::min<std::uint64_t>(status->bytes, kTailBytes), '\0');
  const auto got = file.read_at(status->bytes - tail.size(), tail.data(), tail.size());
  if (!got) return std::unexpected(got.error());
  tail.resize(*got);
  return RecordingStamp{.sealed = sealed(),
                        .bytes = status->bytes,
                        .changed_ns = status->changed_ns,
                        .tail = checksum_of(tail, 0)};
}

bool PointScan::values_at(PointPlace place, ValueColumns& out) {
  State& s = *state_;
  std::string_view bytes;
  if (s.sealed) {
    return s.sealed->payload({.seq = place.at, .event = place.source == 1}, bytes) &&
           decode_value_columns(bytes, out);
  }
  const auto payload = s.payload_of(place, FrameType::kValues);
  return payload && decode_value_columns(*payload, out);
}

bool PointScan::samples_at(PointPlace place, std::vector<run::Sample>& out) {
  State& s = *state_;
  if (s.sealed) return false;
  const auto payload = s.payload_of(place, FrameType::kSamples);
  if (!payload) return false;
  auto samples = decode_samples(*payload);
  if (!samples) return false;
  out = std::move(*samples);
  return true;
}

bool PointScan::chunk_at(PointPlace place, std::vector<std::int64_t>& times_ns,
                         std::vector<double>& values) {
  State& s = *state_;
  const auto number = static_cast<std::size_t>(place.at);
  return s.sealed && place.source == 2 && number < s.heads.size() &&
         s.sealed->decode(s.heads[number], times_ns, values);
}

}  // namespace flatout::store
