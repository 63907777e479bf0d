// Lines that are printed as fixes stand as they are for the program they are printed for;
// tests/cli/test_printed_fixes.py applies them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "advise/advise_fixture.h"

namespace flatout::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Report slow_in(const std::string& library, int workers = 0) {
  Report report = report_with("input_bound", 0.8);
  report.loader->workers = workers;
  report.loader->built_by = library;
  return report;
}

TEST(PrintedLines, AnArgumentIsGivenToWhatBuildsTheLoader) {
  struct Row {
    std::string library, line;
  };
  for (const Row& row :
       {Row{"", "DataLoader(..., num_workers=1)"},
        {"transformers", "dataloader_num_workers=1 of TrainingArguments"},
        {"trl", "dataloader_num_workers=1 of TrainingArguments"},
        {"fastai", "num_workers=1 for the DataLoader that fastai builds there"},
        {"Endless", "num_workers=1 for the DataLoader that Endless builds there"}}) {
    const auto advice = ask(slow_in(row.library), pool(10, 9, 0, 1));
    ASSERT_FALSE(advice.empty());
    EXPECT_EQ(advice[0].knob, "dataloader.num_workers");
    EXPECT_EQ(advice[0].to, "1");
    EXPECT_EQ(how_text(advice[0]), row.line);
  }
}

TEST(PrintedLines, NoWorkersBringNoErrorOfWhatNeedsThem) {
  Report report = report_with("too_many_workers", 0.5);
  report.loader->workers = 8;
  const auto advice =
      ask(report,
          FormulaPredictor([](const LoaderSetting& to) { return to.workers == 0 ? 2.0 : 0.9; }));
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(how_text(advice[0]),
            "DataLoader(..., num_workers=0), without the arguments that need workers "
            "(persistent_workers, prefetch_factor, timeout, multiprocessing_context)");
}

TEST(PrintedLines, ThreadsMakeRoomForWorkersWhereThereAreSome) {
  for (const int workers : {0, 2}) {
    Report report = slow_in("", workers);
    report.loader->sample_cpu_share = 1;
    report.host.intraop_threads = 2;
    const std::string how = how_text(ask(report, silent()).back());
    if (workers == 0) {
      EXPECT_THAT(how, Not(HasSubstr("set_num_threads")));
    } else {
      EXPECT_THAT(how, HasSubstr("give workers room by torch.set_num_threads(1)"));
    }
  }
}

TEST(PrintedLines, ABatchSamplerHasTheBatchSize) {
  Report report = report_with("memory_headroom", 0.5);
  report.loader->batch_size = 32;
  EXPECT_THAT(how_text(ask(report, silent())[0]), HasSubstr("DataLoader(..., batch_size=64) with"));
  report.loader->batch_sampler = true;
  EXPECT_THAT(how_text(ask(report, silent())[0]),
              testing::StartsWith("batches of 64 from its batch_sampler with"));
  report.loader->batch_sampler = false;
  report.loader->built_by = "transformers";
  EXPECT_THAT(how_text(ask(report, silent())[0]),
              testing::StartsWith("per_device_train_batch_size=64 of TrainingArguments with"));
}

TEST(PrintedLines, TheEngineOfALoaderThatALibraryBuildsIsAPlan) {
  Report report = slow_in("webdataset");
  report.loader->native_refusal = "";
  const auto advice = ask(report, silent());
  const auto engine = std::ranges::find(advice, "dataloader.engine", &Advice::knob);
  ASSERT_NE(engine, advice.end());
  EXPECT_THAT(how_text(*engine), testing::StartsWith("dataloader.engine = \"native\" below [knobs] "
                                                     "in a file: flatout run --plan FILE"));
  EXPECT_EQ(engine->to, "\"native\"");
}

TEST(PrintedLines, ACommandTakesItsFolderAsOneWord) {
  for (const auto& [folder, word] : {std::pair{"/data/my pets", "FOLDER"},
                                     {"/data/pets", "/data/pets"},
                                     {"a;b", "FOLDER"},
                                     {"-x", "FOLDER"},
                                     {"", "FOLDER"}}) {
    Report report = slow_in("", 2);
    report.loader->sample_cpu_share = 1;
    report.loader->stages = {{"JPEG decode", 1}};
    report.loader->files_folder = folder;
    EXPECT_THAT(how_text(ask(report, silent()).back()),
                HasSubstr("`flatout bench data " + std::string(word) + "`"));
  }
}

}  // namespace
}  // namespace flatout::advise
