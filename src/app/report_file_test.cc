#include "app/report_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace flatout::app {
namespace {

TEST(ReportFile, ReplacesAFileAndWritesThroughALink) {
  std::string pattern = testing::TempDir() + "report-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const std::filesystem::path file = folder / "r.json";
  ASSERT_TRUE(write_report_file(file, "a long first text"));
  ASSERT_TRUE(write_report_file(file, "{}"));
  EXPECT_EQ(base::read_file(file).value_or(""), "{}");
  std::filesystem::create_symlink(file, folder / "link");
  ASSERT_TRUE(write_report_file(folder / "link", "{\"a\":1}"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(base::read_file(file).value_or(""), "{\"a\":1}");
  std::filesystem::remove_all(folder);
}

TEST(ReportFile, SaysWhatCannotBeWritten) {
  const auto done = write_report_file("/nowhere/r.json", "{}");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("/nowhere"), std::string::npos);
  EXPECT_FALSE(write_report_file("/dev/full", "{}"));
}

TEST(ReportFile, SaysBeforehandWhatStandsInTheWayAndLeavesNothing) {
  std::string pattern = testing::TempDir() + "report-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  ASSERT_TRUE(base::write_file_atomic(folder / "file", "mine"));
  const auto refused = [&](const std::filesystem::path& path) {
    const auto done = can_write_report_file("--json", path);
    return done ? std::string("accepted") : done.error().message;
  };
  EXPECT_EQ(refused(folder / "new.json"), "accepted");
  EXPECT_EQ(refused(folder / "file"), "accepted");
  EXPECT_EQ(refused("/dev/null"), "accepted");
  EXPECT_NE(refused(folder).find("it is a folder"), std::string::npos);
  EXPECT_NE(refused(folder / "none/r").find("mkdir -p"), std::string::npos);
  EXPECT_NE(refused(folder / "file/r").find("is no folder"), std::string::npos);
  EXPECT_TRUE(refused(folder / "none/r").starts_with("--json: cannot write "));
  std::filesystem::create_symlink(folder / "gone", folder / "link");
  EXPECT_NE(refused(folder / "link"), "accepted") << "it will not be made through a link";
  std::filesystem::remove(folder / "link");
  EXPECT_EQ(base::read_file(folder / "file").value_or(""), "mine");
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder)) ++left;
  EXPECT_EQ(left, 1U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace flatout::app
