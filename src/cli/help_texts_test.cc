#include "cli/help_texts.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <variant>

#include "cli/command_line.h"

namespace flatout::cli {
namespace {

std::string shown(const std::vector<std::string>& args) {
  const auto command = parse_command_line(args);
  if (!command || !std::holds_alternative<ShowText>(*command)) return "";
  return std::get<ShowText>(*command).text;
}

constexpr const char* kAll[] = {"run", "search", "ls", "show",   "report",   "compare", "export",
                                "tag", "note",   "rm", "doctor", "accuracy", "bench",   "pack"};

TEST(Help, EveryVerbHasATextOfEightyColumns) {
  for (const char* verb : kAll) {
    EXPECT_FALSE(help_text(verb).empty()) << verb;
    std::istringstream lines{std::string(help_text(verb))};
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80U) << verb << ": " << line;
    }
  }
  EXPECT_EQ(help_text("nonsense"), "");
}

TEST(Help, OfAVerbIsTheSameBothWays) {
  for (const char* verb : kAll) {
    EXPECT_EQ(shown({"help", verb}), shown({verb, "--help"}));
    EXPECT_NE(shown({"help", verb}).find(std::string(help_text(verb)).substr(0, 30)),
              std::string::npos)
        << verb;
  }
  EXPECT_EQ(shown({"help"}), shown({"--help"}));
  EXPECT_NE(shown({"help"}).find("flatout help VERB"), std::string::npos);
}

TEST(Help, OfNoVerbNamesThem) {
  const auto command = parse_command_line({"help", "nonsense"});
  ASSERT_FALSE(command);
  EXPECT_NE(command.error().message.find("compare"), std::string::npos);
  EXPECT_FALSE(parse_command_line({"help", "run", "ls"}));
}

}  // namespace
}  // namespace flatout::cli
