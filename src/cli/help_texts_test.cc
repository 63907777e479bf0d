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

constexpr const char* kAll[] = {"run",    "search", "ls",   "show",        "report", "compare",
                                "export", "tag",    "note", "rm",          "doctor", "accuracy",
                                "bench",  "pack",   "tune", "completions", "manual", "analyze",
                                "ui",     "import", "logs"};

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

std::string at_columns(const std::vector<std::string>& args, std::size_t columns) {
  CommonOptions common{.columns = columns};
  const auto command = parse_command_line(args, common);
  return command ? std::get<ShowText>(*command).text : command.error().message;
}

TEST(Help, SaysNoBoundsOfMachinesAndTheDefaultHome) {
  for (const char* verb : kAll) {
    const std::string text = at_columns({"help", verb}, 80);
    for (const char* bad : {" in [", "UINT", "FLOAT", "4611686018427387904", "{text"}) {
      EXPECT_EQ(text.find(bad), std::string::npos) << verb << ": " << bad;
    }
  }
  EXPECT_NE(at_columns({"ls", "--help"}, 100).find("~/.local/share/flatout"), std::string::npos);
  EXPECT_NE(at_columns({"ls", "--help"}, 100).find("-n, --name NAME"), std::string::npos);
}

TEST(Help, FitsTheTerminal) {
  for (const std::size_t columns : {60U, 80U, 160U}) {
    for (const char* verb : kAll) {
      std::istringstream lines(at_columns({"help", verb}, columns));
      bool example = false;
      for (std::string line; std::getline(lines, line);) {
        if (line.ends_with(':')) example = line != "Options:" && line != "Positionals:";
        // Examples are for copying: they are not broken.
        if (!example) {
          EXPECT_LE(line.size(), columns) << verb << ": " << line;
        }
      }
    }
  }
}

// Whatever verb and option there is, stands in all of them.
TEST(Completions, AndManualKnowEveryVerbAndOption) {
  std::vector<std::string> texts = {at_columns({"manual"}, 80)};
  for (const char* shell : {"bash", "zsh", "fish"}) {
    texts.push_back(at_columns({"completions", shell}, 80));
  }
  for (const char* word : {"run", "completions", "budget", "older-than", "keep-tagged", "color",
                           "changes_training", "slurm", "unpack"}) {
    for (const std::string& text : texts) {
      const bool there =
          text.find(word) != std::string::npos ||
          (text.starts_with(".\\\"") && text.find("older\\-than") != std::string::npos);
      EXPECT_TRUE(there) << word << " in " << text.substr(0, 40);
    }
  }
  EXPECT_EQ(texts[1].find("bench-engine"), std::string::npos) << "what flatout starts itself";
  EXPECT_EQ(texts[1].find("--replay"), std::string::npos);
}

TEST(Manual, LeavesNothingToRoffByAccident) {
  std::istringstream lines(at_columns({"manual"}, 80));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '.') continue;
    EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") || line.starts_with(".TP") ||
                line.starts_with(".PP") || line.starts_with(".B ") || line.starts_with(".br") ||
                line.starts_with(".nf") || line.starts_with(".fi") || line.starts_with(".\\\""))
        << line;
  }
}

TEST(Help, OfNoVerbNamesThem) {
  const auto command = parse_command_line({"help", "nonsense"});
  ASSERT_FALSE(command);
  EXPECT_NE(command.error().message.find("compare"), std::string::npos);
  EXPECT_FALSE(parse_command_line({"help", "run", "ls"}));
}

}  // namespace
}  // namespace flatout::cli
