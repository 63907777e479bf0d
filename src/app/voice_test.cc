#include "app/voice.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace flatout::app {
namespace {

class VoiceTest : public testing::Test {
 protected:
  VoiceTest() {
    std::string pattern = testing::TempDir() + "voice-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    stderr_ = base::UniqueFd(::open(at("stderr").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  ~VoiceTest() override { std::filesystem::remove_all(folder_); }

  std::string at(const char* name) const { return folder_ + "/" + name; }
  std::string read(const char* name) const { return base::read_file(at(name)).value_or("(none)"); }

  std::string folder_;
  base::UniqueFd stderr_;
};

TEST_F(VoiceTest, ALineIsSaidOnceAndOnOneLine) {
  Voice voice(false, stderr_.get());
  voice.note("disk\nfull");
  voice.note("disk\nfull");
  voice.page("page\n");
  EXPECT_EQ(read("stderr"), "flatout: disk full\npage\n");
}

TEST_F(VoiceTest, QuietSaysErrorsOnly) {
  Voice voice(true, stderr_.get());
  voice.note("a");
  voice.page("b\n");
  voice.error("c");
  EXPECT_EQ(read("stderr"), "flatout: c\n");
}

TEST_F(VoiceTest, RedirectedToAFile) {
  Voice voice(false, stderr_.get());
  voice.redirect(at("out"));
  voice.page("page\n");
  EXPECT_EQ(read("out"), "page\n");
  EXPECT_EQ(read("stderr"), "");
}

TEST_F(VoiceTest, AFileThatCannotBeOpenedLosesNothing) {
  Voice voice(false, stderr_.get());
  voice.redirect(at("missing/out"));
  voice.page("page\n");
  EXPECT_NE(read("stderr").find("it goes to stderr\npage\n"), std::string::npos) << read("stderr");
}

TEST_F(VoiceTest, AFullDiskLosesNothing) {
  Voice voice(false, stderr_.get());
  voice.redirect("/dev/full");
  voice.page("page\n");
  EXPECT_EQ(read("stderr"), "page\n");
}

}  // namespace
}  // namespace flatout::app
