// Exports that somebody made to do harm, or that a disk damaged.
#include <gmock/gmock.h>

#include <fstream>

#include "trace/nsys/export_fixture.h"
#include "trace/nsys/sqlite_file.h"
#include "trace/open_trace.h"

namespace flatout::trace {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HostileExport : public ExportTest {};

constexpr const char* kBareTables =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId,"
    "  globalPid, demangledName);"
    "CREATE TABLE NVTX_EVENTS (start, end, globalTid, text, eventType);";

constexpr const char* kEndless =
    "WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n)"
    " SELECT start, start + 1 AS end, 0 AS deviceId, 7 AS streamId FROM n";

TEST_F(HostileExport, AViewIsNoTable) {
  const auto timeline =
      open_trace(database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                          "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS " +
                          std::string(kEndless) + ";"));
  ASSERT_FALSE(timeline);
  EXPECT_THAT(timeline.error().message, HasSubstr("CUPTI_ACTIVITY_KIND_KERNEL"));
}

// The schema is a table as others: it may say of a view that it is a table with a page.
TEST_F(HostileExport, AViewThatIsCalledATableIsNoTable) {
  const auto timeline =
      open_trace(database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                          "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS " +
                          std::string(kEndless) +
                          "; PRAGMA writable_schema=ON;"
                          "UPDATE sqlite_schema SET type='table', rootpage=2 WHERE "
                          "name='CUPTI_ACTIVITY_KIND_KERNEL';"));
  ASSERT_FALSE(timeline);
}

TEST_F(HostileExport, ADefinitionUnderAnothersNameIsNotUsed) {
  const auto timeline =
      open_trace(database(std::string(kBareTables) + "CREATE VIEW v AS " + kEndless +
                          "; PRAGMA writable_schema=ON;"
                          "UPDATE sqlite_schema SET name='CUPTI_ACTIVITY_KIND_KERNEL',"
                          "  tbl_name='CUPTI_ACTIVITY_KIND_KERNEL' WHERE name='v';"
                          "UPDATE sqlite_schema SET name='t', tbl_name='t'"
                          "  WHERE name='CUPTI_ACTIVITY_KIND_KERNEL' AND type='table';"));
  if (timeline) {
    EXPECT_TRUE(timeline->devices.empty());
  }
}

TEST_F(HostileExport, GeneratedColumnsAreNotComputed) {
  const auto timeline = open_trace(
      database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
               "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, seed,"
               "  deviceId AS (length(zeroblob(seed))));"
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, seed) VALUES (1, 2, 100000);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_THAT(timeline->notes, ElementsAre(HasSubstr("1 events were left out")));
}

TEST_F(HostileExport, RowsOfAnyTypeAndAnyNumberAreTaken) {
  const std::string huge = "9223372036854775807", least = "-9223372036854775808";
  const auto timeline = open_trace(database(
      std::string(kBareTables) + "INSERT INTO StringIds VALUES (1, x'ff00'), (2, 'k'), (3, NULL);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('a','b','c','d','e','f','named')," +
      "(NULL,NULL,NULL,NULL,NULL,NULL,NULL),(1.5,2e300,0,0,0,0,0),(9,1,0,0,0,0,2)," +
      "(1,2,-1,0,0,0,2),(1,2,65536,0,0,0,2),(" + least + "," + huge + ",0,0,0,0,2),(1," + huge +
      ",0,0,0,0,2),(-4000000000000000000,4000000000000000000,0,-5," + least + "," + least + "," +
      huge + "),(10,20,0," + huge + "," + huge + "," + huge + ",1);" +
      "INSERT INTO NVTX_EVENTS VALUES (1,2,NULL,'a',59),(1,2,'x',7,59),(1,2," + least +
      ",x'00',59),(1,2,-1,NULL,59),(1,NULL,-1,'open',59),(1,2,5,'odd'," + huge + ");"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  std::size_t activities = 0;
  for (const auto& [pid, process] : timeline->processes) activities += process.activities.size();
  EXPECT_EQ(activities, 2U);
  EXPECT_EQ(timeline->last_ns, 4'000'000'000'000'000'000);
  EXPECT_THAT(timeline->notes, Contains(HasSubstr("11 events were left out")));
}

TEST_F(HostileExport, LongTextsAreCut) {
  const auto timeline = open_trace(database(
      std::string(kBareTables) +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,7,1,0,printf('%.*c', 500000, 'x'));"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  const run::DeviceActivity kernel = *timeline->processes.at(0).activities.front();
  EXPECT_EQ(timeline->names->at(kernel.name).size(), SqliteFile::kLongestText);
}

TEST_F(HostileExport, ASchemaOfTooManyTablesIsRefused) {
  const auto timeline = open_trace(database(
      std::string(kBareTables) +
      "PRAGMA writable_schema=ON; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
      "  LIMIT 30000) INSERT INTO sqlite_schema SELECT 'table', 't' || i, 't' || i, 2,"
      "  'CREATE TABLE t' || i || ' (a)' FROM n;"));
  ASSERT_FALSE(timeline);
  EXPECT_THAT(timeline.error().message, HasSubstr("more tables than flatout reads"));
}

std::string whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(HostileExport, DamageAnywhereIsSaidOrSurvived) {
  std::string sql =
      "PRAGMA page_size=512;" + std::string(kBareTables) + "INSERT INTO StringIds VALUES (1, 'k');";
  for (int i = 0; i < 400; ++i) {
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(i * 10) + "," +
           std::to_string(i * 10 + 5) + ",0,7," + std::to_string(i) + ",16777216,1);";
  }
  const fs::path path = database(sql);
  const std::string good = whole_file(path);
  ASSERT_GT(good.size(), 8U * 512);
  std::size_t partly = 0, refused = 0;
  for (std::size_t page = 1; page < good.size() / 512; ++page) {
    std::string bad = good;
    bad.replace(page * 512, 512, std::string(512, '\xA5'));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    const auto timeline = open_trace(path);
    if (!timeline) {
      ++refused;
      EXPECT_THAT(timeline.error().message, HasSubstr("malformed"));
    } else if (!timeline->notes.empty()) {
      ++partly;
      EXPECT_THAT(timeline->notes[0], HasSubstr("only a part was read"));
      EXPECT_GT(timeline->processes.at(1).activities.size(), 0U);
    }
  }
  EXPECT_GT(partly, 0U);
  EXPECT_GT(refused, 0U);
}

// A page of 512 bytes all of whose branches lead to the same page.
std::string page_of_branches(char to) {
  constexpr int kBranches = 50, kBytesOfBranch = 5;
  std::string page(512, '\0');
  const auto put16 = [&page](std::size_t at, int value) {
    page[at] = static_cast<char>(value >> 8);
    page[at + 1] = static_cast<char>(value & 255);
  };
  page[0] = 5;  // an inner page of a table
  put16(3, kBranches);
  put16(5, 512 - kBranches * kBytesOfBranch);
  page[11] = to;
  for (int i = 0; i < kBranches; ++i) {
    const int at = 512 - (i + 1) * kBytesOfBranch;
    put16(static_cast<std::size_t>(12 + 2 * i), at);
    page[static_cast<std::size_t>(at) + 3] = to;
    page[static_cast<std::size_t>(at) + 4] = static_cast<char>(i);
  }
  return page;
}

// 51^6 rows in a file of ten pages.
TEST_F(HostileExport, BranchesThatMeetAgainEnd) {
  const fs::path path = database("PRAGMA page_size=512;" + std::string(kBareTables) +
                                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,7,1,0,1);");
  std::string bytes = whole_file(path);
  ASSERT_EQ(bytes.size(), 4U * 512);
  constexpr std::size_t kRoot = 2 * 512;  // of the kernels' table, which was made second
  const std::string leaf = bytes.substr(kRoot, 512);
  bytes.replace(kRoot, 512, page_of_branches(5));
  for (char page = 5; page < 10; ++page) {
    bytes += page_of_branches(static_cast<char>(page + 1));
  }
  bytes += leaf;
  bytes[31] = 10;  // pages of the file
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  const auto timeline = open_trace(path);
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_THAT(timeline->notes, Contains(HasSubstr("more rows than flatout reads")));
  EXPECT_LT(timeline->processes.at(0).activities.size(), 1'000'000U);
}

TEST_F(HostileExport, ACutFileIsRefused) {
  const fs::path path = database(std::string(kBareTables));
  const std::string good = whole_file(path);
  for (const std::size_t size : {std::size_t{16}, std::size_t{100}, good.size() / 2}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << good.substr(0, size);
    const auto timeline = open_trace(path);
    ASSERT_FALSE(timeline) << size;
    EXPECT_THAT(timeline.error().message, HasSubstr("report.sqlite is no trace"));
  }
}

TEST_F(HostileExport, NamesOfFilesAreNoUri) {
  const fs::path path = database(
      std::string(kBareTables) + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,7,1,0,'k');",
      "a?mode=rw&x=%41#b c.sqlite");
  const auto timeline = open_trace(path);
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(timeline->info.trace_file, "a?mode=rw&x=%41#b c.sqlite");
}

}  // namespace
}  // namespace flatout::trace
