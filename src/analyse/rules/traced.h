// What the rules share that a kernel trace answers: findings whose share is of the device's window.
#pragma once

#include <string>
#include <string_view>

#include "analyse/rules/judgement.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

// Each gap and each kernel was seen; what is not known is how usual the traced steps are.
constexpr double kTraceConfidence = 0.9;

// With busy and the share, held against the rule's threshold, as evidence; without a summary.
run::Finding traced_finding(std::string id, double share, const Thresholds& thresholds,
                            const run::KernelTraceReport& trace);

// The same of what takes `of_kernels` of the kernels' time, against which the thresholds hold; its
// share is of the window, in which kernels compute for a part only.
run::Finding kernel_time_finding(std::string id, double of_kernels, const Thresholds& thresholds,
                                 const run::KernelTraceReport& trace);

// Information, with a share of 0: the device has time to spare, and would not be waited for less.
void nothing_at_stake(run::Finding& finding);

// Adds a ratio to the evidence.
void add_ratio(run::Finding& finding, std::string metric, double value);

// What a class of kernels ("gemm") achieves, where the shapes of half of its time or more are
// known; null else.
const run::RooflineClassReport* roof_of(const run::KernelTraceReport& trace,
                                        std::string_view kernel_class);
// As evidence: device.roofline.CLASS.compute_share and bandwidth_share, and odd_dims_share, those
// that are known.
void add_roof(run::Finding& finding, const run::KernelTraceReport& trace,
              std::string_view kernel_class);

}  // namespace flatout::analyse
