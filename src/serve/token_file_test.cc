#include "serve/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace flatout::serve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(TokenFile, IsMadeOnceForThisUserAlone) {
  const fs::path folder = fs::temp_directory_path() / ("token." + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path path = folder / "token";
  const auto first = kept_token(path);
  ASSERT_TRUE(first) << first.error().message;
  struct stat is{};
  ASSERT_EQ(::stat(path.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0600U);
  EXPECT_EQ(kept_token(path).value_or(""), *first);

  ::chmod(path.c_str(), 0644);
  EXPECT_THAT(kept_token(path).error().message, HasSubstr("chmod 600"));
  ::chmod(path.c_str(), 0600);
  for (const std::string& bad : {std::string("short"), std::string(200, 'a'),
                                 std::string("aaaaaaaaaaaaaaaaaaaa b"), std::string()}) {
    std::ofstream(path) << bad;
    EXPECT_THAT(kept_token(path).error().message, HasSubstr("holds no token")) << bad;
  }
  EXPECT_THAT(kept_token(folder).error().message, HasSubstr("no regular file"));
  EXPECT_FALSE(kept_token(folder / "missing" / "token"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace flatout::serve
