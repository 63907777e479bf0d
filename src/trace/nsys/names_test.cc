#include "trace/nsys/names.h"

#include <gtest/gtest.h>

#include "trace/kineto/category.h"

namespace flatout::trace {
namespace {

TEST(NsysNames, CopiesAreCalledAsPyTorchCallsThem) {
  EXPECT_EQ(copy_name(1, 0, 2), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(copy_name(2, 2, 1), "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(copy_name(10, {}, {}), "Memcpy PtoP");
  EXPECT_EQ(copy_name(11, 4, {}), "Memcpy Unified HtoD (Managed -> Unknown)");
  EXPECT_EQ(copy_name({}, -1, 99), "Memcpy Unknown (Unknown -> Unknown)");
  EXPECT_EQ(memset_name(2), "Memset (Device)");
  EXPECT_EQ(memset_name({}), "Memset (Unknown)");
  EXPECT_EQ(copy_direction(copy_name(11, {}, {})), run::CopyDirection::kHostToDevice);
  EXPECT_EQ(copy_memory(copy_name(2, 2, 1)), run::HostMemory::kPinned);
}

TEST(NsysNames, EnumeratorsHaveTheDocumentedNumbers) {
  EXPECT_EQ(copy_kind("CUDA_MEMCPY_KIND_DTOD"), 8);
  EXPECT_EQ(memory_kind("CUDA_MEMOPR_MEMORY_KIND_PINNED"), 1);
  EXPECT_EQ(copy_kind("CUDA_MEMCPY_KIND_SIDEWAYS"), std::nullopt);
  EXPECT_EQ(copy_kind("HTOD"), std::nullopt);
}

TEST(NsysNames, CallsLoseTheirVersion) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync_ptsz");
  EXPECT_EQ(call_name("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(call_name("cu_v"), "cu_v");
  EXPECT_EQ(call_name("cu_value"), "cu_value");
  EXPECT_EQ(call_name(""), "");
}

TEST(NsysNames, RangesLoseWhatEmitNvtxAdds) {
  EXPECT_EQ(range_name("aten::add, seq = 3").name, "aten::add");
  EXPECT_EQ(range_name("aten::add, op_id = 7, sizes = [[1, 2]]").name, "aten::add");
  EXPECT_EQ(range_name("aten::add, seq = 3").kind, run::HostSpanKind::kOp);
  EXPECT_EQ(range_name("autograd::engine::evaluate_function: A, seq = 3").name,
            "autograd::engine::evaluate_function: A");
  // A program's own range keeps its commas.
  EXPECT_EQ(range_name("epoch 3, step 7").name, "epoch 3, step 7");
  EXPECT_EQ(range_name("epoch 3, step 7").kind, run::HostSpanKind::kAnnotation);
  EXPECT_EQ(range_name("Optimizer.step#SGD.step").kind, run::HostSpanKind::kAnnotation);
  EXPECT_EQ(range_name(", ").name, ", ");
  EXPECT_EQ(range_name("").name, "");
}

}  // namespace
}  // namespace flatout::trace
