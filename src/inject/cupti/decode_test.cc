#include "inject/cupti/decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "inject/cupti/layout.h"
#include "run/activity.h"

namespace flatout::inject::cupti {
namespace {

using Bytes = std::vector<unsigned char>;

template <typename T>
void set(Bytes& record, std::size_t at, T value) {
  std::memcpy(record.data() + at, &value, sizeof value);
}

// A record of `kind` in a version in which it takes `bytes`; what nobody sets is 0xee.
Bytes record_of(RecordKind kind, std::size_t bytes) {
  Bytes out(bytes, 0xee);
  set(out, 0, static_cast<std::uint32_t>(kind));
  return out;
}

// How long a record is in the versions of CUPTI that we know of.
struct Version {
  const char* cuda;
  std::size_t kernel, copy, peer, memset;
};
constexpr Version kVersions[] = {{"12.0", 208, 88, 96, 88},
                                 {"12.8", 208, 96, 96, 88},
                                 {"13.0", 216, 96, 96, 88},
                                 {"13.1", 224, 96, 96, 88},
                                 {"13.5", 248, 112, 96, 104}};

class DecodeOfVersion : public ::testing::TestWithParam<Version> {};

TEST_P(DecodeOfVersion, Kernel) {
  const char* const name = "_Z8a_kernelPfi";
  Bytes bytes = record_of(RecordKind::kConcurrentKernel, GetParam().kernel);
  set<std::uint64_t>(bytes, 16, 1000);
  set<std::uint64_t>(bytes, 24, 1700);
  set<std::uint32_t>(bytes, 40, 3);
  set<std::uint32_t>(bytes, 44, 2);
  set<std::uint32_t>(bytes, 48, 17);
  set<std::uint32_t>(bytes, 92, 4711);
  set(bytes, 104, name);
  set<std::uint32_t>(bytes, 156, 5);
  set<std::uint64_t>(bytes, 144, (std::uint64_t{5} << 32) + 12);
  DeviceRecord out;
  ASSERT_TRUE(decode_device(bytes.data(), bytes.size(), &out));
  EXPECT_EQ(out.start, 1000U);
  EXPECT_EQ(out.end, 1700U);
  EXPECT_EQ(out.wire.device, 3);
  EXPECT_EQ(out.wire.context, 2U);
  EXPECT_EQ(out.wire.stream, 17U);
  EXPECT_EQ(out.wire.correlation, 4711U);
  EXPECT_EQ(out.wire.graph, 5U);
  EXPECT_EQ(out.wire.graph_node, 12U);
  EXPECT_EQ(out.wire.bytes, wire::kUnknownBytes);
  EXPECT_STREQ(out.name, name);
  EXPECT_EQ(out.wire.kind, static_cast<std::uint8_t>(run::ActivityKind::kKernel));
}

Bytes copy_of(RecordKind kind, std::size_t bytes, std::uint8_t copy, std::uint8_t from,
              std::uint8_t to) {
  Bytes out = record_of(kind, bytes);
  set(out, 4, copy);
  set(out, 5, from);
  set(out, 6, to);
  set<std::uint64_t>(out, 8, 4096);
  set<std::uint64_t>(out, 16, 10);
  set<std::uint64_t>(out, 24, 20);
  set<std::uint32_t>(out, 32, 1);
  set<std::uint32_t>(out, 36, 2);
  set<std::uint32_t>(out, 40, 7);
  return out;
}

TEST_P(DecodeOfVersion, Copy) {
  Bytes bytes = copy_of(RecordKind::kMemcpy, GetParam().copy, 1, 1, 3);
  set<std::uint32_t>(bytes, 44, 99);
  set<std::uint32_t>(bytes, 72, 6);
  set<std::uint64_t>(bytes, 64, (std::uint64_t{6} << 32) + 3);
  DeviceRecord out;
  ASSERT_TRUE(decode_device(bytes.data(), bytes.size(), &out));
  EXPECT_EQ(out.wire.bytes, 4096U);
  EXPECT_EQ(out.wire.correlation, 99U);
  EXPECT_EQ(out.wire.graph, 6U);
  EXPECT_EQ(out.wire.graph_node, 3U);
  EXPECT_EQ(out.wire.direction, static_cast<std::uint8_t>(run::CopyDirection::kHostToDevice));
  EXPECT_EQ(out.wire.host_memory, static_cast<std::uint8_t>(run::HostMemory::kPageable));
  EXPECT_EQ(out.name, nullptr);
}

TEST_P(DecodeOfVersion, CopyBetweenDevices) {
  Bytes bytes = copy_of(RecordKind::kMemcpy2, GetParam().peer, 10, 3, 3);
  set<std::uint32_t>(bytes, 60, 98);
  set<std::uint32_t>(bytes, 80, 0);
  DeviceRecord out;
  ASSERT_TRUE(decode_device(bytes.data(), bytes.size(), &out));
  EXPECT_EQ(out.wire.correlation, 98U);
  EXPECT_EQ(out.wire.graph, 0U);
  EXPECT_EQ(out.wire.direction, static_cast<std::uint8_t>(run::CopyDirection::kDeviceToDevice));
  EXPECT_EQ(out.wire.host_memory, static_cast<std::uint8_t>(run::HostMemory::kUnknown));
}

TEST_P(DecodeOfVersion, Memset) {
  Bytes bytes = record_of(RecordKind::kMemset, GetParam().memset);
  set<std::uint64_t>(bytes, 8, 64);
  set<std::uint64_t>(bytes, 16, 5);
  set<std::uint64_t>(bytes, 24, 6);
  set<std::uint32_t>(bytes, 32, 0);
  set<std::uint32_t>(bytes, 40, 13);
  set<std::uint32_t>(bytes, 44, 7);
  set<std::uint32_t>(bytes, 72, 1);
  DeviceRecord out;
  ASSERT_TRUE(decode_device(bytes.data(), bytes.size(), &out));
  EXPECT_EQ(out.wire.kind, static_cast<std::uint8_t>(run::ActivityKind::kMemset));
  EXPECT_EQ(out.wire.bytes, 64U);
  EXPECT_EQ(out.wire.stream, 13U);
  EXPECT_EQ(out.wire.correlation, 7U);
  EXPECT_EQ(out.wire.graph, 1U);
}

INSTANTIATE_TEST_SUITE_P(Cupti, DecodeOfVersion, ::testing::ValuesIn(kVersions),
                         [](const auto& one) {
                           std::string name = one.param.cuda;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST(Decode, RecordThatItsBufferCutsShortIsNone) {
  DeviceRecord device;
  CallOfHost call;
  for (const RecordKind kind : {RecordKind::kConcurrentKernel, RecordKind::kMemcpy,
                                RecordKind::kMemcpy2, RecordKind::kMemset}) {
    const Bytes bytes = record_of(kind, 200);
    EXPECT_FALSE(decode_device(bytes.data(), 72, &device));
  }
  EXPECT_FALSE(decode_call(record_of(RecordKind::kRuntime, 40).data(), 39, &call));
  EXPECT_FALSE(decode_overhead(record_of(RecordKind::kOverhead, 40).data(), 39, &call));
}

TEST(Decode, DirectionsAndMemoryOfCopies) {
  using run::CopyDirection;
  using run::HostMemory;
  struct Copy {
    std::uint8_t kind, from, to;
    CopyDirection direction;
    HostMemory memory;
  };
  const Copy copies[] = {{2, 3, 2, CopyDirection::kDeviceToHost, HostMemory::kPinned},
                         {1, 2, 3, CopyDirection::kHostToDevice, HostMemory::kPinned},
                         {2, 3, 1, CopyDirection::kDeviceToHost, HostMemory::kPageable},
                         {8, 3, 3, CopyDirection::kDeviceToDevice, HostMemory::kUnknown},
                         {3, 5, 4, CopyDirection::kHostToDevice, HostMemory::kUnknown},
                         {9, 2, 2, CopyDirection::kUnknown, HostMemory::kPinned},
                         {200, 0, 0, CopyDirection::kUnknown, HostMemory::kUnknown}};
  for (const Copy& one : copies) {
    const Bytes bytes = copy_of(RecordKind::kMemcpy, 96, one.kind, one.from, one.to);
    DeviceRecord out;
    ASSERT_TRUE(decode_device(bytes.data(), bytes.size(), &out));
    EXPECT_EQ(out.wire.direction, static_cast<std::uint8_t>(one.direction)) << int{one.kind};
    EXPECT_EQ(out.wire.host_memory, static_cast<std::uint8_t>(one.memory)) << int{one.kind};
  }
}

TEST(Decode, OverheadOfWhatIsNoThreadIsNone) {
  Bytes bytes = record_of(RecordKind::kOverhead, 56);
  set<std::uint32_t>(bytes, 8, 3);  // a device
  CallOfHost out;
  EXPECT_FALSE(decode_overhead(bytes.data(), bytes.size(), &out));
}

// What an H200 gave: CUPTI 130001, driver 580, PyTorch 2.11 (2026-11-26); a few records of each
// kind, one after the other. Pointers in it lead nowhere.
struct Recorded {
  std::map<RecordKind, std::vector<DeviceRecord>> device;
  std::map<RecordKind, std::vector<CallOfHost>> host;
};

Recorded recorded() {
  std::ifstream file(FLATOUT_SOURCE_DIR "/src/inject/cupti/testdata/h200_cupti_13_0.bin",
                     std::ios::binary);
  const Bytes all(std::istreambuf_iterator<char>(file), {});
  const std::map<RecordKind, std::size_t> lengths = {
      {RecordKind::kConcurrentKernel, 216}, {RecordKind::kMemcpy, 96}, {RecordKind::kMemset, 88},
      {RecordKind::kRuntime, 40},           {RecordKind::kDriver, 40}, {RecordKind::kOverhead, 56}};
  Recorded out;
  for (std::size_t at = 0; at < all.size();) {
    const auto kind = static_cast<RecordKind>(kind_of(all.data() + at));
    DeviceRecord device;
    CallOfHost call;
    if (decode_device(all.data() + at, all.size() - at, &device)) {
      out.device[kind].push_back(device);
    } else if (decode_call(all.data() + at, all.size() - at, &call) ||
               decode_overhead(all.data() + at, all.size() - at, &call)) {
      out.host[kind].push_back(call);
    } else {
      ADD_FAILURE() << "a record at " << at << " is not read";
    }
    at += lengths.at(kind);
  }
  return out;
}

TEST(Decode, RecordsOfARealDeviceArePlausible) {
  const Recorded real = recorded();
  EXPECT_EQ(real.device.at(RecordKind::kConcurrentKernel).size(), 12U);
  EXPECT_EQ(real.device.at(RecordKind::kMemcpy).size(), 8U);
  EXPECT_EQ(real.device.at(RecordKind::kMemset).size(), 4U);
  EXPECT_EQ(real.host.at(RecordKind::kRuntime).size(), 12U);
  EXPECT_EQ(real.host.at(RecordKind::kDriver).size(), 6U);
  EXPECT_EQ(real.host.at(RecordKind::kOverhead).size(), 4U);
  for (const auto& [kind, records] : real.device) {
    for (const DeviceRecord& one : records) {
      EXPECT_GT(one.start, 43'000'000'000U);  // of the monotonic clock of that machine
      EXPECT_GT(one.end, one.start);
      EXPECT_LT(one.end - one.start, 5'000'000U);
      EXPECT_EQ(one.wire.device, 0);
      EXPECT_EQ(one.wire.context, 1U);
      EXPECT_TRUE(one.wire.stream == 7 || one.wire.stream == 14);
      EXPECT_GT(one.wire.correlation, 0U);
      EXPECT_EQ(one.wire.graph, 0U);
    }
  }
  for (const auto& [kind, calls] : real.host) {
    for (const CallOfHost& one : calls) {
      EXPECT_GE(one.end, one.start);
      EXPECT_EQ(one.thread, 752402752U);
    }
  }
}

TEST(Decode, CopiesAndSetsOfARealDeviceAreWhatItsProgramDid) {
  const Recorded real = recorded();
  const auto& copies = real.device.at(RecordKind::kMemcpy);
  const auto direction = [&](std::size_t i) {
    return run::CopyDirection{copies[i].wire.direction};
  };
  const auto memory = [&](std::size_t i) { return run::HostMemory{copies[i].wire.host_memory}; };
  EXPECT_EQ(copies[0].wire.bytes, 4'194'304U);
  EXPECT_EQ(direction(0), run::CopyDirection::kHostToDevice);
  EXPECT_EQ(memory(0), run::HostMemory::kPageable);
  EXPECT_EQ(memory(1), run::HostMemory::kPinned);
  EXPECT_EQ(copies[2].wire.bytes, 4U);  // item()
  EXPECT_EQ(direction(2), run::CopyDirection::kDeviceToHost);
  EXPECT_EQ(memory(2), run::HostMemory::kPinned);
  EXPECT_EQ(memory(3), run::HostMemory::kPageable);  // cpu()
  EXPECT_EQ(real.device.at(RecordKind::kMemset)[0].wire.bytes, 4U);
  EXPECT_STREQ(name_of_overhead(real.host.at(RecordKind::kOverhead)[0].function),
               "CUPTI: asking for a buffer");
  EXPECT_STREQ(name_of_overhead(real.host.at(RecordKind::kOverhead)[1].function),
               "CUPTI: instrumentation");
}

}  // namespace
}  // namespace flatout::inject::cupti
