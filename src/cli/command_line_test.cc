#include "cli/command_line.h"

#include <gtest/gtest.h>

namespace flatout::cli {
namespace {

using Words = std::vector<std::string>;

template <typename T>
T parsed(const Words& args) {
  const auto command = parse_command_line(args);
  if (!command) {
    ADD_FAILURE() << command.error().message;
    return {};
  }
  return std::get<T>(*command);
}

std::string refused(const Words& args) {
  const auto command = parse_command_line(args);
  return command ? "accepted" : command.error().message;
}

TEST(CommandLine, TheCommandIsUntouched) {
  const std::pair<Words, Words> cases[] = {
      {{"run", "python", "t.py"}, {"python", "t.py"}},
      {{"run", "--", "python", "t.py"}, {"python", "t.py"}},
      {{"run", "--name", "a", "python", "--name", "b", "--", "-x"},
       {"python", "--name", "b", "--", "-x"}},
      {{"run", "--name=a", "x", "--help"}, {"x", "--help"}},
      {{"run", "--", "--odd"}, {"--odd"}},
      {{"run", "--quiet", "--", "--", "y"}, {"--", "y"}},
      {{"run", "--no-hooks", "-", "z"}, {"-", "z"}},
      {{"run", "a", "", "b=c"}, {"a", "", "b=c"}}};
  for (const auto& [args, command] : cases) EXPECT_EQ(parsed<RunOptions>(args).command, command);
}

TEST(CommandLine, ShortOptionsMayStandTogetherAndBeforeTheCommand) {
  const Words same[] = {{"run", "-q", "-n", "a", "-j", "r.json", "python", "-n", "b"},
                        {"run", "-qn", "a", "-jr.json", "--", "python", "-n", "b"},
                        {"run", "-qna", "--json=r.json", "python", "-n", "b"}};
  for (const Words& words : same) {
    const auto run = parsed<RunOptions>(words);
    EXPECT_TRUE(run.quiet);
    EXPECT_EQ(run.name, "a");
    EXPECT_EQ(run.json_file, "r.json");
    EXPECT_EQ(run.command, (Words{"python", "-n", "b"}));
  }
  const auto tune =
      parsed<trial::TuneOptions>({"tune", "-b", "5m", "-k", "num_workers", "x", "-b"});
  EXPECT_EQ(tune.budget, "5m");
  EXPECT_EQ(tune.command, (Words{"x", "-b"}));
  EXPECT_TRUE(tune.given.contains("--budget")) << "the long name, also where the short one stood";
  EXPECT_EQ(parsed<ReportOptions>({"report", "-f", "json", "-o", "x"}).out, "x");
  EXPECT_TRUE(parsed<ListOptions>({"ls", "-a"}).all);
  EXPECT_TRUE(parsed<ListOptions>({"ls", "--tree"}).all);
  EXPECT_TRUE(parsed<RemoveOptions>({"rm", "-n", "k7f2"}).dry_run);
}

TEST(CommandLine, AReportIsOfTheLatestUnlessARunIsNamed) {
  EXPECT_EQ(parsed<ReportOptions>({"report"}).run, "latest");
  EXPECT_EQ(parsed<ReportOptions>({"report", "--format", "json"}).run, "latest");
}

TEST(CommandLine, ColourIsOfEveryVerb) {
  for (const Words& words : {Words{"ls", "--color", "never"}, Words{"run", "--color=never", "x"}}) {
    CommonOptions common;
    ASSERT_TRUE(parse_command_line(words, common));
    EXPECT_EQ(common.colour, Colour::kNever);
  }
  EXPECT_NE(refused({"ls", "--color", "red"}).find("--color"), std::string::npos);
}

TEST(CommandLine, RunOptions) {
  const auto run = parsed<RunOptions>({"run", "--name", "base", "--home", "/h", "--rate", "100",
                                       "--json", "r.json", "--stop-after", "20", "--quiet",
                                       "--report-to", "out", "--", "c"});
  EXPECT_EQ(run.name, "base");
  EXPECT_EQ(run.home, "/h");
  EXPECT_EQ(run.rate_hz, 100);
  EXPECT_EQ(run.json_file, "r.json");
  EXPECT_TRUE(run.hooks);
  EXPECT_EQ(run.stop_after, 20U);
  EXPECT_TRUE(run.quiet);
  EXPECT_EQ(run.report_to, "out");
  EXPECT_FALSE(parsed<RunOptions>({"run", "--no-hooks", "c"}).hooks);
  EXPECT_EQ(parsed<RunOptions>({"run", "--replay", "k7f2", "c"}).replay, "k7f2");
}

TEST(CommandLine, CaptureTakesAListOrSeveral) {
  const auto run = parsed<RunOptions>(
      {"run", "--capture", "wandb,mlflow", "--capture=neptune", "--", "c", "--capture", "x"});
  EXPECT_EQ(run.capture, (Words{"wandb", "mlflow", "neptune"}));
  EXPECT_EQ(run.command, (Words{"c", "--capture", "x"}));
  EXPECT_EQ(parsed<RunOptions>({"run", "--capture", "wandb", "python"}).command, Words{"python"});
  EXPECT_EQ(parsed<trial::TuneOptions>({"tune", "--capture", "wandb", "--", "c"}).capture,
            Words{"wandb"});
  EXPECT_EQ(parsed<trial::SearchOptions>({"search", "s.toml", "--capture=wandb,mlflow", "--", "c"})
                .capture,
            (Words{"wandb", "mlflow"}));
  EXPECT_NE(refused({"run", "--capture", "comet", "--", "c"}).find("--capture"), std::string::npos);
  EXPECT_NE(refused({"run", "--no-hooks", "--capture", "wandb", "c"}).find("--no-hooks"),
            std::string::npos);
}

TEST(CommandLine, OtherVerbs) {
  EXPECT_EQ(parsed<ReportOptions>({"report", "latest"}).format, Format::kText);
  const auto report = parsed<ReportOptions>({"report", "k7f2", "--format", "json", "--home", "/h"});
  EXPECT_EQ(report.run, "k7f2");
  EXPECT_EQ(report.format, Format::kJson);
  EXPECT_EQ(report.home, "/h");
  EXPECT_EQ(parsed<RemoveOptions>({"rm", "a", "b"}).runs, (Words{"a", "b"}));
  EXPECT_EQ(parsed<ListOptions>({"ls"}).home, "");
  EXPECT_EQ(parsed<DoctorOptions>({"doctor", "--home", "/h"}).home, "/h");
}

TEST(CommandLine, VerbsOnStoredRuns) {
  const auto list = parsed<ListOptions>({"ls", "--tag", "t", "--name", "w*", "--state", "lost"});
  EXPECT_EQ(list.tag + list.name + list.state, "tw*lost");
  EXPECT_EQ(parsed<ShowOptions>({"show", "k7f2", "--format", "json"}).format, Format::kJson);
  const auto logs = parsed<LogsOptions>({"logs", "a", "-n", "5", "--pid", "7", "--stream=stderr"});
  EXPECT_TRUE(logs.tail == 5U && logs.pid == 7 && logs.stream == "stderr" && !logs.times);
  EXPECT_TRUE(parsed<RunOptions>({"run", "--record-output", "--", "c"}).record_output);
  EXPECT_FALSE(parsed<RunOptions>({"run", "c"}).record_output);
  const auto compare =
      parsed<CompareOptions>({"compare", "a", "b", "c", "--rules-off", "epoch_gap,input_bound"});
  EXPECT_EQ(compare.runs, (Words{"a", "b", "c"}));
  EXPECT_EQ(compare.rules_off.size(), 2U);
  const auto tables = parsed<ExportOptions>({"export", "a", "--format", "parquet", "--force"});
  EXPECT_TRUE(tables.format == app::ExportFormat::kParquet && tables.force);
  EXPECT_EQ(parsed<ExportOptions>({"export", "a", "--out", "d"}).format, app::ExportFormat::kCsv);
  EXPECT_EQ(parsed<ExportOptions>({"export", "a", "--format", "perfetto"}).format,
            app::ExportFormat::kPerfetto);
  EXPECT_EQ(parsed<AnalyzeOptions>({"analyze", "f", "-f", "perfetto"}).format, Format::kPerfetto);
  EXPECT_EQ(parsed<AnalyzeOptions>({"analyze", "f", "g", "-f", "json"}).files, (Words{"f", "g"}));
  const auto tag = parsed<TagOptions>({"tag", "a", "x", "y", "--remove"});
  EXPECT_EQ(tag.tags, (Words{"x", "y"}));
  EXPECT_TRUE(tag.remove);
  EXPECT_EQ(parsed<NoteOptions>({"note", "a", "two", "words"}).text, "two words");
  EXPECT_EQ(parsed<NoteOptions>({"note", "a", ""}).text, "");
  const auto old =
      parsed<RemoveOptions>({"rm", "--older-than", "30d", "--keep-tagged", "--dry-run"});
  EXPECT_EQ(old.older_than, "30d");
  EXPECT_TRUE(old.keep_tagged && old.dry_run);
  EXPECT_EQ(parsed<RunOptions>({"run", "--rules-off", "epoch_gap", "c"}).rules_off,
            std::set<std::string>{"epoch_gap"});
}

TEST(CommandLine, HelpAndVersionAreText) {
  EXPECT_TRUE(parsed<ShowText>({"--version"}).text.starts_with("flatout "));
  EXPECT_NE(parsed<ShowText>({"--help"}).text.find("doctor"), std::string::npos);
  EXPECT_NE(parsed<ShowText>({}).text.find("run"), std::string::npos);
  EXPECT_NE(parsed<ShowText>({"run", "--help"}).text.find("--stop-after"), std::string::npos);
  EXPECT_EQ(parsed<ShowText>({"run", "--help"}).text.find("replay"), std::string::npos);
}

TEST(CommandLine, ASpaceStandsBeforeTheCommandWithOptionsOnBothSides) {
  const Words commands[] = {
      {"search", "s.toml", "--", "python", "--slots", "9"},
      {"search", "--slots", "2", "s.toml", "python", "--slots", "9"},
      {"search", "--budget=3m", "s.toml", "--slots", "2", "--in-place", "--", "python", "--slots",
       "9"},
  };
  for (const Words& words : commands) {
    const auto search = parsed<trial::SearchOptions>(words);
    EXPECT_EQ(search.space_file, "s.toml");
    EXPECT_EQ(search.command, (Words{"python", "--slots", "9"}));
    EXPECT_EQ(search.launcher.kind, "local");
  }
  const auto placed = parsed<trial::SearchOptions>(
      {"search", "s.toml", "--launcher", "slurm", "--slurm", "-p a", "--slots", "3", "x"});
  EXPECT_EQ(placed.launcher.kind, "slurm");
  EXPECT_EQ(placed.launcher.slurm, "-p a");
  EXPECT_EQ(placed.launcher.slots, 3);
  EXPECT_FALSE(parsed<trial::SearchOptions>({"search", "s.toml", "x"}).launcher.slots);
  EXPECT_EQ(parsed<TrialOptions>({"trial", "/a/b.json"}).file, "/a/b.json");
}

TEST(CommandLine, WhatIsWrongIsNamedOnOneLine) {
  const std::pair<Words, const char*> cases[] = {
      {{"rum", "x"}, "did you mean flatout run?"},
      {{"reprot"}, "did you mean flatout report?"},
      {{"python", "train.py"}, "flatout run -- CMD"},
      {{"run", "--nmae", "a", "x"}, "did you mean --name?"},
      {{"tune", "--bugdet", "a", "x"}, "did you mean --budget?"},
      {{"ls", "--frmat=json"}, "did you mean --format?"},
      {{"completions"}, "SHELL"},
      {{"completions", "csh"}, "csh"},
      {{"run"}, "needs a command"},
      {{"search"}, "SPACE"},
      {{"search", "s.toml"}, "search needs a command"},
      {{"search", "s.toml", "--slots", "0", "--", "x"}, "--slots"},
      {{"search", "s.toml", "--launcher", "ray", "x"}, "--launcher"},
      {{"tune", "--slurm", "-p a", "x"}, "--launcher slurm only"},
      {{"trial"}, "FILE"},
      {{"run", "--"}, "needs a command"},
      {{"run", "--rate", "0", "x"}, "--rate"},
      {{"run", "--rate", "fast", "x"}, "--rate"},
      {{"run", "--rate"}, "--rate"},
      {{"run", "--stop-after", "0", "x"}, "--stop-after"},
      {{"run", "--stop-after", "9", "--no-hooks", "x"}, "drop one"},
      {{"report", "a", "--format", "xml"}, "--format"},
      {{"report", "a", "--rules-off", "nonsense"}, "the rules are"},
      {{"run", "--rules-off", "nonsense", "x"}, "'nonsense'"},
      {{"compare", "a", "--rules-off", "nonsense", "b"}, "'nonsense'"},
      {{"rm"}, "needs a run"},
      {{"rm", "a", "--older-than", "3d"}, "drop one"},
      {{"rm", "a", "--keep-tagged"}, "--older-than"},
      {{"compare"}, "RUN"},
      {{"compare", "a"}, "RUN"},
      {{"export"}, "RUN"},
      {{"export", "a", "--format", "xml"}, "--format"},
      {{"show"}, "RUN"},
      {{"logs", "a", "--tail", "0"}, "--tail"},
      {{"run", "--no-hooks", "--record-output", "c"}, "--no-hooks"},
      {{"tag", "a"}, "TAG"},
      {{"note", "a"}, "TEXT"},
      {{"ls", "--state", "happy"}, "--state"},
      {{"ls", "extra"}, "extra"},
      {{"--bogus"}, "--bogus"}};
  for (const auto& [args, part] : cases) {
    const std::string message = refused(args);
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

struct ResumeCase {
  std::vector<std::string> words;  // after "tune"
  bool resume;
  std::string id;
  std::vector<std::string> command;
};

TEST(CommandLine, ResumeTakesAnIdAndLeavesTheCommandAlone) {
  const std::vector<ResumeCase> cases = {
      {{"--resume"}, true, "", {}},
      {{"--resume", "k7f2"}, true, "k7f2", {}},
      {{"--resume=k7f2"}, true, "k7f2", {}},
      {{"--resume", "k7f2", "--budget", "5m"}, true, "k7f2", {}},
      {{"--budget", "5m", "--resume", "k7f2"}, true, "k7f2", {}},
      {{"--resume", "--", "python", "t.py"}, true, "", {"python", "t.py"}},
      {{"--resume", "k7f2", "--", "python"}, true, "k7f2", {"python"}},
      {{"--resume", "k7f2", "--price", "2", "--", "x", "-y"}, true, "k7f2", {"x", "-y"}},
      {{"--resume", "python", "-u", "t.py"}, true, "", {"python", "-u", "t.py"}},
      {{"--resume", "python", "t.py", "--x"}, true, "", {"python", "t.py", "--x"}},
      {{"--", "python", "--resume", "k7f2"}, false, "", {"python", "--resume", "k7f2"}},
      {{"python", "t.py", "--resume", "k7f2"}, false, "", {"python", "t.py", "--resume", "k7f2"}},
  };
  for (const auto& row : cases) {
    std::vector<std::string> args = {"tune"};
    args.insert(args.end(), row.words.begin(), row.words.end());
    const auto command = parse_command_line(args);
    ASSERT_TRUE(command) << command.error().message;
    const auto& tune = std::get<trial::TuneOptions>(*command);
    EXPECT_EQ(tune.resume, row.resume);
    EXPECT_EQ(tune.resume_id, row.id) << testing::PrintToString(row.words);
    EXPECT_EQ(tune.command, row.command);
    EXPECT_EQ(tune.given.contains("--resume"), row.resume);
  }
}

}  // namespace
}  // namespace flatout::cli
