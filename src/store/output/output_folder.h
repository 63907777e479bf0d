// The files of a run's folder that hold its program's output, as src/inject/output names them
// (docs/formats/output.md). Any thread; the files may grow and go meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace flatout::store {

// Below a run's folder.
constexpr std::string_view kOutputFolderName = "output";
constexpr std::size_t kMostOutputProcesses = 4096;
// Of a process's files the first and the latest stay: when this many are there, the oldest but the
// first goes.
constexpr std::int64_t kOutputSegments = 8;

struct OutputFileFound {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

// By process, then by number. Regular files alone; none where nothing was recorded.
using OutputFiles = std::map<std::int64_t, std::map<std::int64_t, OutputFileFound>>;
OutputFiles find_output_files(const std::filesystem::path& run_folder);

// What is there of [from, from + bytes); no link is followed, no pipe waited for.
std::string read_output_bytes(const std::filesystem::path& path, std::uint64_t from,
                              std::size_t bytes);

}  // namespace flatout::store
