#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "app/sweep.h"
#include "app/voice.h"
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/run_verb.h"
#include "cli/verbs.h"
#include "launch/signal_state.h"
#include "launch/standard_fds.h"

namespace {

namespace app = flatout::app;
namespace base = flatout::base;
namespace cli = flatout::cli;
namespace launch = flatout::launch;
namespace trial = flatout::trial;

int show(const cli::ShowText& shown) { return base::write_all(1, shown.text, "stdout") ? 0 : 1; }

base::Result<cli::Command> parsed(const std::vector<std::string>& args) {
  cli::CommonOptions common{.columns = cli::columns_of(1)};
  auto command = cli::parse_command_line(args, common);
  cli::choose_colour(common.colour);
  return command;
}

template <typename... Verbs>
struct Overloaded : Verbs... {
  using Verbs::operator()...;
};

int dispatch(const std::vector<std::string>& args) {
  const auto command = parsed(args);
  if (!command) {
    app::Voice(false).error(command.error().message);
    return cli::kWrongOption;
  }
  const int status = std::visit(
      Overloaded{[](const cli::RunOptions& options) { return cli::run_verb(options); },
                 [](const trial::TuneOptions& options) { return cli::tune_verb(options); },
                 [](const cli::AccuracyOptions& options) { return cli::accuracy_verb(options); },
                 [](const trial::SearchOptions& options) { return cli::search_verb(options); },
                 [](const cli::TrialOptions& options) { return cli::trial_verb(options); },
                 [](const cli::AttachOptions& options) { return cli::attach_verb(options); },
                 [](const cli::ListOptions& options) { return cli::ls_verb(options); },
                 [](const cli::ShowOptions& options) { return cli::show_verb(options); },
                 [](const cli::LogsOptions& options) { return cli::logs_verb(options); },
                 [](const cli::ReportOptions& options) { return cli::report_verb(options); },
                 [](const cli::AnalyzeOptions& options) { return cli::analyze_verb(options); },
                 [](const cli::CompareOptions& options) { return cli::compare_verb(options); },
                 [](const cli::CheckOptions& options) { return cli::check_verb(options); },
                 [](const cli::TopOptions& options) { return cli::top_verb(options); },
                 [](const cli::ExportOptions& options) { return cli::export_verb(options); },
                 [](const cli::ImportOptions& options) { return cli::import_verb(options); },
                 [](const cli::TagOptions& options) { return cli::tag_verb(options); },
                 [](const cli::NoteOptions& options) { return cli::note_verb(options); },
                 [](const cli::RemoveOptions& options) { return cli::rm_verb(options); },
                 [](const cli::DoctorOptions& options) { return cli::doctor_verb(options); },
                 [](const cli::BenchOptions& options) { return cli::bench_verb(options); },
                 [](const cli::PackVerbOptions& options) { return cli::pack_verb(options); },
                 [](const cli::UiOptions& options) { return cli::ui_verb(options); },
                 [](const cli::EngineBenchOptions&) { return cli::engine_bench_verb(); },
                 [](const cli::ShowText& shown) { return show(shown); }},
      *command);
  // Of trials, their tune does; `flatout --help` touches nothing.
  if (!std::holds_alternative<cli::TrialOptions>(*command) &&
      !std::holds_alternative<cli::EngineBenchOptions>(*command) &&
      !std::holds_alternative<cli::ShowText>(*command)) {
    app::sweep_leftovers();
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto done = launch::reserve_standard_fds(); !done) return 1;  // nowhere to say it
  launch::ignore_file_size_signal();
  try {
    return dispatch(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& problem) {
    app::Voice(false).error(std::string("internal error: ") + problem.what());
    return 1;
  }
}
