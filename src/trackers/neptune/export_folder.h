// How neptune-exporter lays out what it writes:
//   <data>/<project>/<run>_part_<n>.parquet, and of its model registry
//   <data>/<project>/models/<model>_part_<n>.parquet (model_versions likewise);
//   <files>/<project>/<path that a row names>.
// Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::trackers::neptune {

struct PartName {
  std::string run;  // as the file is named, with its digest
  int part = 0;
};

// "SAN-1-0a1b_part_3.parquet"; absent for other names.
std::optional<PartName> part_name(const std::string& file_name);

// Where the files of that project lie: beside <data> with "files" in its name for "data", else in
// "files"; "" where there is no such folder.
std::filesystem::path files_folder(const std::filesystem::path& part);

// The file that `named` is below `folder`, or the regular files in the folder that it is, in order.
// `named` is not trusted: it may not leave `folder`, and no symbolic link is followed. kNotFound
// where there is none.
base::Result<std::vector<std::filesystem::path>> named_files(const std::filesystem::path& folder,
                                                             const std::string& named);

// "png", "txt" ...: of its name, else of its first bytes; "bin" where neither says.
std::string extension_of(const std::filesystem::path& name, std::string_view bytes);

}  // namespace flatout::trackers::neptune
