// Any bytes as the file of a ring in a ring directory: what the recorder maps,
// and what a later flatout finds of a run whose recorder was killed. The first
// 256 bytes are the start of the header, the rest is the ring's contents; the
// file's size is right, since nearly every other one is turned away at once.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "record/ring_dir_reader.h"
#include "scratch.h"
#include "wire/ring.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  constexpr std::size_t kHeadBytes = 256;
  constexpr std::size_t kCapacity = 1024;
  static const fuzz::Scratch scratch;
  std::string file(reinterpret_cast<const char*>(data), std::min(size, kHeadBytes));
  file.resize(wire::kRingHeaderBytes);
  file.append(reinterpret_cast<const char*>(data) + std::min(size, kHeadBytes),
              size - std::min(size, kHeadBytes));
  file.resize(wire::kRingHeaderBytes + kCapacity);
  // No such process is in the pretended /proc: the ring's writer has ended.
  const auto ring = scratch.path() / "rings" / "ring.7.9";
  fuzz::write_file(ring, file);
  record::RingDirReader reader(ring.parent_path(), scratch.path());
  for (int look = 1; look <= 2; ++look) {
    reader.drain(look * 2 * base::kSecond, [](const record::RingOwner&, record::RingChunk&) {});
    reader.commit();
  }
  (void)reader.counts();
  if (reader.take_notes().size() > 2) std::abort();
  return 0;
}
