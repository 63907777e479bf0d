// Kernels that a compiler would fuse or leave out, of one device.
//
// A chain is two or more kernels that follow each other on a stream with nothing between them, all
// of classes that could_be_fused(): each writes to memory what the next one reads back. As one
// kernel they would take about as long as the longest of them, since what they are limited by is
// memory, and it moves the most: what all the others take is `fusible`.
//
// Limits: that one kernel reads what the one before it wrote is taken for granted; a fused kernel
// that has to write all the intermediate results for the backward pass gains less. Copies that
// change strides stand by themselves and end a chain, so that nothing is counted twice.
#pragma once

#include <cstdint>
#include <map>

#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "run/activity.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

class FusibleChains {
 public:
  explicit FusibleChains(const run::NameTable& names);  // which must outlive it

  // What comes next does not follow what came before.
  void begin();
  // In order of begin.
  void add(const run::DeviceActivity& activity);
  // Sets the shares of kernel time; they stay 0 without kernels.
  void report(run::KernelPatternsReport& patterns) const;

 private:
  struct Kind {
    KernelClass kernel_class = KernelClass::kOther;
    bool strided_copy = false;
  };
  struct Chain {
    std::int64_t kernels = 0;
    double ns = 0;
    double longest_ns = 0;
  };
  static Kind kind_of(std::string_view name);
  // Those that ended, and the one that goes on.
  struct Sums {
    std::int64_t chains = 0;
    std::int64_t kernels = 0;
    double ns = 0;
    double fusible_ns = 0;
    void add(const Chain& chain);
  };

  NameCache<Kind (*)(std::string_view)> kinds_;
  std::map<std::uint64_t, Chain> open_;  // by device_stream()
  Sums ended_;
  double all_ns_ = 0;  // without collectives
  double layout_ns_ = 0;
  double strided_copy_ns_ = 0;
};

}  // namespace flatout::analyse
