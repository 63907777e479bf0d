// The verbs that are asked for something and print it to stdout. Each returns
// the exit status: 0, or 1 after one line on stderr.
#pragma once

#include "cli/command_line.h"

namespace flatout::cli {

int tune_verb(const trial::TuneOptions& options);
int top_verb(const TopOptions& options);
int accuracy_verb(const AccuracyOptions& options);
int ui_verb(const UiOptions& options);
int search_verb(const trial::SearchOptions& options);
int engine_bench_verb();
int trial_verb(const TrialOptions& options);
int attach_verb(const AttachOptions& options);
int bench_verb(const BenchOptions& options);
int pack_verb(const PackVerbOptions& options);
int ls_verb(const ListOptions& options);
int logs_verb(const LogsOptions& options);
int show_verb(const ShowOptions& options);
int report_verb(const ReportOptions& options);
int import_verb(const ImportOptions& options);
int analyze_verb(const AnalyzeOptions& options);
int compare_verb(const CompareOptions& options);
// Beside the others: 1 says that a limit was not kept, and 2 that nothing could be checked.
int check_verb(const CheckOptions& options);
int export_verb(const ExportOptions& options);
int tag_verb(const TagOptions& options);
int note_verb(const NoteOptions& options);
int rm_verb(const RemoveOptions& options);
int doctor_verb(const DoctorOptions& options);

}  // namespace flatout::cli
