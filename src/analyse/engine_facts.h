// What a run said of the files that its training loader reads, and what was measured on them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/engine_speed.h"
#include "run/timeline.h"

namespace flatout::analyse {

constexpr std::size_t kMostLoaderFiles = 1024;

struct LoaderFiles {
  std::string why_not = {};             // why no files are named; "" = they are
  std::string spec = {};                // JSON of a loader with a native form; "" = its own class
  std::vector<std::string> files = {};  // absolute
  // Of each sample the number of its file, its first byte and its bytes; empty: a file each.
  std::vector<std::array<std::int64_t, 3>> places = {};
};

// Of this loader of process `pid`; absent where it said nothing that can be used.
std::optional<LoaderFiles> loader_files(const run::Timeline& timeline, pid_t pid,
                                        std::uint32_t loader);

// The folder with a folder a class in it that holds all of these files; "" where it is not plain.
std::string class_folders_of(const LoaderFiles& files);

// The last that was said of this loader of process `pid`.
std::optional<run::EngineMeasurement> engine_measurement(const run::Timeline& timeline, pid_t pid,
                                                         std::uint32_t loader);

// What the process that measures says: that fact's JSON without pid and loader.
std::optional<run::EngineMeasurement> engine_measurement_of(const std::string& json);
std::string engine_measurement_text(const run::EngineMeasurement& measured);

// As that fact's JSON.
std::string engine_measurement_json(pid_t pid, std::uint32_t loader,
                                    const run::EngineMeasurement& measured);

// Height and width of the pictures that the model of process `pid` was given first.
std::optional<std::array<int, 2>> picture_size(const run::Timeline& timeline, pid_t pid);

}  // namespace flatout::analyse
