// Rows of Parquet files from the user's Python with pyarrow: one process for many runs, started
// again where it ended within one (python/flatout/neptune_parquet.py). Main thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file.h"
#include "trackers/parquet_rows.h"

namespace flatout::app {

class ParquetProcess final : public trackers::ParquetRows {
 public:
  // kNotFound, with the next step, where no Python with pyarrow is there.
  static base::Result<ParquetProcess> find();
  ParquetProcess(std::string python, std::string script);
  ParquetProcess(ParquetProcess&& other) noexcept;
  ParquetProcess& operator=(ParquetProcess&&) = delete;
  ~ParquetProcess() override;

  base::Result<void> ask(const std::vector<std::filesystem::path>& files) override;
  base::Result<std::size_t> read(std::span<char> into) override;
  void done() override { asked_ = false; }

 private:
  base::Result<void> start();
  void stop();

  std::string python_;
  std::string script_;
  base::UniqueFd to_;
  base::UniqueFd from_;
  pid_t pid_ = 0;
  bool asked_ = false;  // an answer is not read to its end
};

}  // namespace flatout::app
