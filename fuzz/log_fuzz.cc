// Any bytes as a frame log. A frame's checksum would turn away nearly every
// changed input before a decoder sees it, so the first byte chooses: the bytes
// as a whole log, or as the payload of one frame with a right checksum.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/codec.h"
#include "store/frame_log.h"

namespace {

using flatout::store::FrameType;

void decode(FrameType type, std::string_view payload) {
  using namespace flatout::store;
  switch (type) {
    case FrameType::kInfo:
      (void)decode_info(payload);
      break;
    case FrameType::kProc:
      (void)decode_proc(payload);
      break;
    case FrameType::kLane:
      (void)decode_lane(payload);
      break;
    case FrameType::kPhases:
      (void)decode_phases(payload);
      break;
    case FrameType::kBatches:
      (void)decode_batches(payload);
      break;
    case FrameType::kDevicePhases:
      (void)decode_device_phases(payload);
      break;
    case FrameType::kValues:
      (void)decode_values(payload);
      break;
    case FrameType::kTraceNames:
      (void)decode_trace_names(payload);
      break;
    case FrameType::kActivities:
      (void)decode_activities(payload);
      break;
    case FrameType::kHostSpans:
      (void)decode_host_spans(payload);
      break;
    case FrameType::kTraceWindows:
      (void)decode_trace_windows(payload);
      break;
    case FrameType::kFact:
      (void)decode_fact(payload);
      break;
    case FrameType::kSamples:
      (void)decode_samples(payload);
      break;
    case FrameType::kDevice:
      (void)decode_device(payload);
      break;
    case FrameType::kCounts:
      (void)decode_counts(payload);
      break;
    case FrameType::kEnd:
      (void)decode_end(payload);
      break;
    case FrameType::kDropped:
      (void)decode_dropped(payload);
      break;
    case FrameType::kRecovered:
      (void)decode_recovered(payload);
      break;
  }
}

// Frames and damage must account for every byte of the log, once.
void read_log(std::string_view bytes) {
  flatout::store::MemorySource source(bytes);
  auto reader = flatout::store::FrameReader::open(source, "fuzzed log");
  if (!reader) return;
  std::uint64_t last = 0;
  std::uint64_t payloads = 0;
  while (true) {
    const auto frame = reader->next();
    if (!frame || !*frame) break;
    if ((*frame)->offset < last || (*frame)->offset >= bytes.size()) std::abort();
    last = (*frame)->offset;
    payloads += (*frame)->payload.size();
    decode((*frame)->type, (*frame)->payload);
  }
  std::uint64_t damaged = 0;
  for (const auto& damage : reader->damage()) damaged += damage.bytes;
  if (damaged > bytes.size() || reader->end_of_frames() > bytes.size()) std::abort();
  const auto told = flatout::store::FrameReader::payload_bytes(source, bytes.size());
  if (reader->damage().empty() && told != payloads) std::abort();
  (void)flatout::store::FrameReader::find_last(source, bytes.size(), FrameType::kEnd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0) {
    read_log(rest);
    return 0;
  }
  const auto type = static_cast<FrameType>(data[0]);
  decode(type, rest);
  std::string log = flatout::store::file_header();
  flatout::store::FrameEncoder encoder;
  if (encoder.append(log, log.size(), type, rest)) read_log(log);
  return 0;
}
