#include "app/data_library.h"

#include <gtest/gtest.h>

#include <string>

namespace flatout::app {
namespace {

TEST(DataLibrary, ThatIsNotThereIsAnErrorThatSaysWhereItWasLookedFor) {
  const auto library = open_data_library("/nowhere/bin/flatout");
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message.find("FLATOUT_DATA_LIBRARY"), std::string::npos);
}

}  // namespace
}  // namespace flatout::app
