#include "store/frame_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace flatout::store {
namespace {

using base::ErrorCode;

struct Read {
  std::vector<std::string> payloads;
  std::vector<FrameType> types;
  std::vector<Damage> damage;
};

Read read_all(std::string_view log) {
  MemorySource source(log);
  Read out;
  auto reader = FrameReader::open(source, "log");
  if (!reader) return out;
  for (;;) {
    const auto frame = reader->next();
    if (!frame || !*frame) break;
    out.payloads.emplace_back((*frame)->payload);
    out.types.push_back((*frame)->type);
  }
  out.damage = reader->damage();
  return out;
}

ErrorCode open_error(std::string_view log, std::string* message = nullptr) {
  MemorySource source(log);
  const auto reader = FrameReader::open(source, "runs/x/log.flo");
  EXPECT_FALSE(reader);
  if (message != nullptr) *message = reader.error().message;
  return reader.error().code;
}

struct Log {
  std::string bytes = file_header();
  std::vector<std::size_t> ends = {kFileHeaderBytes};  // of the header and each frame
  FrameEncoder encoder;
  void add(FrameType type, std::string_view payload) {
    ASSERT_TRUE(encoder.append(bytes, bytes.size(), type, payload));
    ends.push_back(bytes.size());
  }
};

std::string words(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "word" + std::to_string(i % 9) + " ";
  return out;
}

void fill(Log& log) {
  log.add(FrameType::kInfo, R"({"id":"k7f2"})");
  log.add(FrameType::kPhases, words(60));  // compressed
  log.add(FrameType::kCounts, "");
  log.add(FrameType::kFact,
          "\xf1"
          "FR\xa7 is the marker");
  log.add(FrameType::kEnd, R"({"t_ns":1})");
}

TEST(FrameLog, GivesBackWhatWasWritten) {
  Log log;
  fill(log);
  const auto read = read_all(log.bytes);
  EXPECT_THAT(read.payloads, testing::ElementsAre(R"({"id":"k7f2"})", words(60), "",
                                                  "\xf1"
                                                  "FR\xa7 is the marker",
                                                  R"({"t_ns":1})"));
  EXPECT_EQ(read.types.back(), FrameType::kEnd);
  EXPECT_TRUE(read.damage.empty());
}

TEST(FrameLog, CompressesOnlyWhatShrinks) {
  Log log;
  log.add(FrameType::kFact, words(1000));
  EXPECT_LT(log.bytes.size(), 1000U);
  std::mt19937_64 random(1);
  std::string noise(4096, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  const auto before = log.bytes.size();
  log.add(FrameType::kFact, noise);
  EXPECT_EQ(log.bytes.size(), before + kFrameHeaderBytes + noise.size());
  EXPECT_EQ(read_all(log.bytes).payloads.back(), noise);
}

TEST(FrameLog, TheWorkedExampleOfTheFormatPage) {
  Log log;
  log.add(FrameType::kCounts, R"({"dropped":0,"events":7})");
  std::string hex;
  for (const char c : log.bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  EXPECT_EQ(hex,
            "464c4f4c4f471a0a010000007ec43def"
            "2d25d326deace532f14652a7090000001800000018000000"
            "7b2264726f70706564223a302c226576656e7473223a377d");
}

TEST(FrameLog, RefusesAPayloadThatIsTooLarge) {
  Log log;
  const std::string large(kMaxFrameBytes + 1, 'x');
  const auto before = log.bytes;
  const auto refused = log.encoder.append(log.bytes, 16, FrameType::kFact, large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(log.bytes, before);
  EXPECT_TRUE(log.encoder.append(log.bytes, 16, FrameType::kFact, large.substr(1)));
  EXPECT_EQ(read_all(log.bytes).payloads.at(0).size(), kMaxFrameBytes);
}

TEST(FrameLog, FilesThatAreNoLogGiveAnErrorWithNameAndNextStep) {
  std::string message;
  EXPECT_EQ(open_error("", &message), ErrorCode::kInvalid);
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("runs/x/log.flo"),
                                      testing::HasSubstr("flatout rm")));
  EXPECT_EQ(open_error("SQLite format 3\0 and so on", &message), ErrorCode::kInvalid);
  EXPECT_THAT(message, testing::HasSubstr("is not a flatout log"));
  EXPECT_EQ(open_error(file_header().substr(0, 11)), ErrorCode::kInvalid);
  auto damaged = file_header();
  damaged[9] = 1;
  EXPECT_EQ(open_error(damaged, &message), ErrorCode::kCorrupt);
  EXPECT_THAT(message, testing::HasSubstr("damaged"));
}

TEST(FrameLog, ANewerVersionSaysSo) {
  std::string message;
  EXPECT_EQ(open_error(file_header(kLogVersion + 1), &message), ErrorCode::kUnavailable);
  EXPECT_THAT(message,
              testing::AllOf(testing::HasSubstr("version 2"), testing::HasSubstr("newer flatout")));
}

TEST(FrameLog, EveryTruncationKeepsTheFramesBeforeIt) {
  Log log;
  fill(log);
  const auto whole = read_all(log.bytes);
  for (std::size_t cut = kFileHeaderBytes; cut < log.bytes.size(); ++cut) {
    const auto read = read_all(std::string_view(log.bytes).substr(0, cut));
    const auto kept = static_cast<std::size_t>(
        std::ranges::count_if(log.ends, [cut](std::size_t end) { return end <= cut; }) - 1);
    ASSERT_EQ(read.payloads.size(), kept) << cut;
    for (std::size_t i = 0; i < kept; ++i) EXPECT_EQ(read.payloads[i], whole.payloads[i]);
    const bool between_frames = std::ranges::find(log.ends, cut) != log.ends.end();
    ASSERT_EQ(read.damage.size(), between_frames ? 0U : 1U) << cut;
    if (between_frames) continue;
    EXPECT_TRUE(read.damage[0].at_end && read.damage[0].cut_short);
    EXPECT_EQ(read.damage[0].offset, log.ends[kept]);
    EXPECT_EQ(read.damage[0].offset + read.damage[0].bytes, cut);
  }
}

// A log that a writer goes on with: each look sees `step` bytes more.
class GrowingSource final : public ByteSource {
 public:
  GrowingSource(std::string_view bytes, std::size_t shown, std::size_t step)
      : bytes_(bytes), shown_(shown), step_(step) {}
  base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override {
    MemorySource seen(bytes_.substr(0, shown_));
    shown_ += step_;
    return seen.read_at(offset, out, n);
  }

 private:
  std::string_view bytes_;
  std::size_t shown_;
  std::size_t step_;
};

TEST(FrameLog, BesideAWriterNoFrameIsTakenForDamage) {
  Log log;
  for (int i = 0; i < 6; ++i) log.add(FrameType::kPhases, words(i));
  const auto all = read_all(log.bytes).payloads;
  for (std::size_t step = 1; step < 200; step += 19) {
    for (std::size_t shown = kFileHeaderBytes; shown < log.bytes.size(); ++shown) {
      GrowingSource source(log.bytes, shown, step);
      auto reader = FrameReader::open(source, "log");
      ASSERT_TRUE(reader);
      std::size_t read = 0;
      for (auto frame = reader->next(); frame && *frame; frame = reader->next()) {
        ASSERT_EQ((*frame)->payload, all[read++]) << "shown " << shown << ", step " << step;
      }
      for (const auto& damage : reader->damage()) ASSERT_TRUE(damage.at_end) << damage.text;
    }
  }
}

TEST(FrameLog, EveryBitFlipLosesOneFrameAndNoMore) {
  Log log;
  fill(log);
  const auto whole = read_all(log.bytes);
  for (std::size_t at = kFileHeaderBytes; at < log.bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = log.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const auto hit = static_cast<std::size_t>(
          std::ranges::count_if(log.ends, [at](std::size_t end) { return end <= at; }) - 1);
      auto expected = whole.payloads;
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(hit));
      const auto read = read_all(bytes);
      ASSERT_EQ(read.payloads, expected) << "byte " << at << " bit " << bit;
      ASSERT_EQ(read.damage.size(), 1U);
      EXPECT_EQ(read.damage[0].offset, log.ends[hit]);
      EXPECT_EQ(read.damage[0].bytes, log.ends[hit + 1] - log.ends[hit]);
      EXPECT_EQ(read.damage[0].at_end, hit + 2 == log.ends.size());
    }
  }
  for (std::size_t at = 0; at < kFileHeaderBytes; ++at) {
    auto bytes = log.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    open_error(bytes);
  }
}

TEST(FrameLog, SeededGarbageNeverBreaksTheReader) {
  Log log;
  fill(log);
  std::mt19937_64 random(20);
  for (int round = 0; round < 2000; ++round) {
    auto bytes = log.bytes;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = kFileHeaderBytes + random() % (bytes.size() - kFileHeaderBytes);
      const std::size_t n = 1 + random() % 40;
      if (random() % 2 == 0) {
        bytes.erase(at, n);
      } else {
        bytes.insert(at, n, static_cast<char>(random()));
      }
    }
    for (const auto& damage : read_all(bytes).damage) {
      EXPECT_GT(damage.bytes, 0U);
      EXPECT_LE(damage.offset + damage.bytes, bytes.size());
    }
  }
}

TEST(FrameLog, AFrameInsideAPayloadIsNotMistakenForOne) {
  Log inner;
  inner.add(FrameType::kFact, "not mine");
  Log log;
  log.add(FrameType::kFact, std::string_view(inner.bytes).substr(kFileHeaderBytes));
  log.add(FrameType::kFact, "mine");
  log.bytes[kFileHeaderBytes] = static_cast<char>(~log.bytes[kFileHeaderBytes]);
  EXPECT_THAT(read_all(log.bytes).payloads, testing::ElementsAre("mine"));
}

TEST(FrameLog, AFileFullOfMarkersIsReadInBoundedTime) {
  std::string bytes = file_header();
  std::string head(8, 'x');
  head += std::string(
              "\xf1"
              "FR\xa7\x01\0\0\0",
              8) +
          std::string("\0\0\x30\0\0\0\x30\0", 8);
  for (int i = 0; i < 200'000; ++i) bytes += head;
  const auto read = read_all(bytes);
  EXPECT_TRUE(read.payloads.empty());
  EXPECT_EQ(read.damage.size(), 1U);
}

TEST(FrameLog, ManyDamagedPlacesAreToldInBoundedSpace) {
  Log log;
  for (int i = 0; i < 500; ++i) {
    log.add(FrameType::kCounts, "{}");
    log.bytes += "junk";
  }
  const auto read = read_all(log.bytes);
  EXPECT_EQ(read.payloads.size(), 500U);
  EXPECT_LE(read.damage.size(), 32U);
  EXPECT_EQ(read.damage.back().offset + read.damage.back().bytes, log.bytes.size());
}

TEST(FrameLog, FindLastSeesTheEndThroughDamageBehindIt) {
  Log log;
  fill(log);
  for (const auto& bytes : {log.bytes, log.bytes + "torn"}) {
    MemorySource source(bytes);
    EXPECT_EQ(FrameReader::find_last(source, bytes.size(), FrameType::kEnd), R"({"t_ns":1})");
    EXPECT_EQ(FrameReader::find_last(source, bytes.size(), FrameType::kSamples), std::nullopt);
  }
  MemorySource none("");
  EXPECT_EQ(FrameReader::find_last(none, 0, FrameType::kEnd), std::nullopt);
}

TEST(FrameLog, PayloadBytesAreThoseAfterDecompression) {
  std::string log = file_header();
  FrameEncoder encoder;
  for (const std::size_t bytes : {5U, 100'000U, 3'000'000U}) {
    ASSERT_TRUE(encoder.append(log, log.size(), FrameType::kSamples, std::string(bytes, 'a')));
  }
  ASSERT_LT(log.size(), 1000U);
  MemorySource source(log);
  EXPECT_EQ(FrameReader::payload_bytes(source, log.size()), 3'100'005U);
  EXPECT_EQ(FrameReader::payload_bytes(source, log.size(), 6), 100'005U);
  // A tail that is no frame counts as it is, a log that is none too.
  const std::string with_tail = log + std::string(40, 'x');
  MemorySource longer(with_tail);
  EXPECT_EQ(FrameReader::payload_bytes(longer, log.size() + 40), 3'100'045U);
  MemorySource other("not a log, but long enough");
  EXPECT_EQ(FrameReader::payload_bytes(other, 26), 10U);
  EXPECT_EQ(FrameReader::payload_bytes(other, 0), 0U);
}

TEST(FrameLog, WholeFramesCountsOnlyWhatFits) {
  Log log;
  fill(log);
  for (std::size_t limit = 0; limit <= log.bytes.size(); ++limit) {
    std::size_t expected = 0;
    for (const auto end : log.ends) expected = end <= limit ? end : expected;
    ASSERT_EQ(whole_frames(log.bytes, limit, true), expected);
  }
}

}  // namespace
}  // namespace flatout::store
