// Any bytes as the ring of an observed process: the recorder maps memory that
// another program writes, so nothing in it may be trusted. The first 16 bytes
// are head and tail, the rest is the ring's contents.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "record/ring_decoder.h"
#include "record/trace_decoder.h"
#include "record/trace_names.h"
#include "wire/ring.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kCapacity = 4096;
  std::array<std::uint64_t, 2> position{};
  if (size < sizeof position) return 0;
  std::memcpy(position.data(), data, sizeof position);
  // Exactly as large as the ring says it is, so that a sanitizer sees one byte too far.
  const auto contents = std::make_unique<unsigned char[]>(kCapacity);
  std::memcpy(contents.get(), data + sizeof position, std::min(size - sizeof position, kCapacity));

  const auto header = std::make_unique<flatout::wire::RingHeader>();
  header->capacity = kCapacity;
  header->head = position[0];
  header->tail = position[1];
  flatout::wire::RingReader reader(header.get(), contents.get(), kCapacity);
  flatout::record::RingDecoder decoder;
  flatout::record::TraceNames names;
  flatout::record::TraceDecoder trace(names);
  flatout::record::RingChunk chunk;
  reader.drain([&](const flatout::wire::RecordHead& head, const unsigned char* record) {
    const auto exact = std::make_unique<unsigned char[]>(head.bytes);
    std::memcpy(exact.get(), record, head.bytes);
    decoder.decode(head, exact.get(), chunk);
    if (flatout::record::TraceDecoder::takes(head.type)) trace.decode(head, exact.get(), chunk);
  });
  return 0;
}
