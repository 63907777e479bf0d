// FLOPs and bytes of ops from the texts that PyTorch writes of their inputs. Figures of products,
// convolutions and attention are those of torch.utils.flop_counter for the same shapes
// (tests/trace/test_roofline.py holds both against each other).
#include "trace/kineto/op_formulas.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/kineto/op_costs.h"

namespace flatout::trace {
namespace {

using run::NumberType;
using run::OpClass;

ChromeOp op(std::string dims, std::string types, std::string concrete = "",
            std::string strides = "") {
  return {.dims = std::move(dims),
          .strides = std::move(strides),
          .types = std::move(types),
          .concrete = std::move(concrete)};
}

std::optional<run::OpCost> cost(std::string_view name, const ChromeOp& of) {
  return op_cost(name, OpInputs(of));
}

TEST(OpFormulas, ProductsOfMatrices) {
  const auto mm =
      cost("aten::mm", op("[[8, 16], [16, 4]]", R"(["c10::BFloat16", "c10::BFloat16"])"));
  ASSERT_TRUE(mm);
  EXPECT_EQ(mm->op_class, OpClass::kGemm);
  EXPECT_EQ(mm->type, NumberType::kBFloat16);
  EXPECT_EQ(mm->flops, 2.0 * 8 * 16 * 4);
  EXPECT_EQ(mm->bytes, 2.0 * (8 * 16 + 16 * 4 + 8 * 4));
  EXPECT_TRUE(mm->odd_dims);  // 4
  const auto addmm = cost("aten::addmm", op("[[24], [8, 16], [16, 24], [], []]",
                                            R"(["float", "float", "float", "Scalar", "Scalar"])"));
  ASSERT_TRUE(addmm);
  EXPECT_EQ(addmm->flops, 2.0 * 8 * 16 * 24);
  EXPECT_EQ(addmm->bytes, 4.0 * (24 + 8 * 16 + 16 * 24 + 8 * 24));
  EXPECT_FALSE(addmm->odd_dims);
  const auto bmm = cost("aten::bmm", op("[[3, 8, 16], [3, 16, 8]]", R"(["float", "float"])"));
  ASSERT_TRUE(bmm);
  EXPECT_EQ(bmm->flops, 2.0 * 3 * 8 * 16 * 8);
}

TEST(OpFormulas, ProductsThatDoNotFitAreNotKnown) {
  EXPECT_FALSE(cost("aten::mm", op("[[8, 16], [15, 4]]", R"(["float", "float"])")));
  EXPECT_FALSE(cost("aten::mm", op("[[8, 16]]", R"(["float"])")));
  EXPECT_FALSE(cost("aten::mm", op("[[-8, 16], [16, 4]]", R"(["float", "float"])")));
  EXPECT_FALSE(cost("aten::mm", op("[[[8, 16]], [16, 4]]", R"(["TensorList", "float"])")));
  EXPECT_FALSE(cost("aten::mm", op("[[8, 99999999999999999999], [16, 4]]", R"(["float"])")));
  EXPECT_FALSE(cost("aten::mm", op(R"("[[8], 16")", "7")));
  EXPECT_FALSE(cost("other::mm", op("[[8, 16], [16, 4]]", R"(["float", "float"])")));
}

// As some versions, and whoever wrote the trace once more, write them.
TEST(OpFormulas, DimsMayStandInAText) {
  const auto mm = cost("aten::mm", op("\"[[8, 16], [16, 4]]\"", R"(["float", "float"])"));
  ASSERT_TRUE(mm);
  EXPECT_EQ(mm->flops, 2.0 * 8 * 16 * 4);
  const auto laid_out = cost(
      "aten::mm",
      op("[\n  [\n    8,\n    16\n  ],\n  [\n    16,\r\n\t4\n  ]\n]", R"(["float", "float"])"));
  ASSERT_TRUE(laid_out);
  EXPECT_EQ(laid_out->flops, 2.0 * 8 * 16 * 4);
}

TEST(OpFormulas, WithoutATypeFlopsAreKnownAndBytesAreNot) {
  const auto mm = cost("aten::mm", op("[[8, 16], [16, 8]]", ""));
  ASSERT_TRUE(mm);
  EXPECT_EQ(mm->flops, 2.0 * 8 * 16 * 8);
  EXPECT_FALSE(mm->bytes);
  EXPECT_EQ(mm->type, NumberType::kUnknown);
}

// Output 112 x 112.
constexpr const char* kConvDims = "[[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]";
constexpr const char* kConvTypes = R"(["c10::Half", "c10::Half", "", "", "", "", "", "", ""])";
constexpr double kConvFlops = 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7;

TEST(OpFormulas, ConvolutionsForward) {
  const auto conv =
      cost("aten::convolution",
           op(kConvDims, kConvTypes,
              R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])"));
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv->op_class, OpClass::kConvolution);
  EXPECT_EQ(conv->flops, kConvFlops);
  EXPECT_EQ(conv->bytes, 2.0 * (32 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 32 * 64 * 112 * 112));
  const auto own =
      cost("aten::cudnn_convolution",
           op(kConvDims, kConvTypes, R"(["", "", "[3, 3]", "[2, 2]", "[1, 1]", "1"])"));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->flops, kConvFlops);
  EXPECT_FALSE(cost("aten::cudnn_convolution", op(kConvDims, kConvTypes)));
  EXPECT_FALSE(cost("aten::cudnn_convolution",
                    op(kConvDims, kConvTypes, R"(["", "", "[3, 3]", "[0, 2]", "[1, 1]"])")));
}

TEST(OpFormulas, ConvolutionsBackward) {
  const std::string dims =
      "[[32, 64, 112, 112], [32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], [], []]";
  const auto with = [&](const std::string& mask) {
    return cost("aten::convolution_backward",
                op(dims, R"(["float", "float", "float"])",
                   R"(["", "", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1", ")" +
                       mask + "\"]"));
  };
  EXPECT_EQ(with("[True, True, False]")->flops, 2 * kConvFlops);
  EXPECT_EQ(with("[False, True, False]")->flops, kConvFlops);
  EXPECT_EQ(with("[True, False, True]")->flops, kConvFlops);
}

TEST(OpFormulas, Attention) {
  const std::string dims = "[[2, 4, 128, 64], [2, 4, 128, 64], [2, 4, 128, 64], [], [], [], []]";
  const std::string types = R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"])";
  const auto with = [&](const char* causal) {
    return cost("aten::_scaled_dot_product_flash_attention",
                op(dims, types, std::string(R"(["", "", "", "0.", ")") + causal + "\"]"));
  };
  EXPECT_EQ(with("False")->op_class, OpClass::kAttention);
  EXPECT_EQ(with("False")->flops, 4.0 * 2 * 4 * 128 * 128 * 64);
  EXPECT_EQ(with("True")->flops, 4.0 * 2 * 4 * (128 * 129 / 2.0) * 64);
  EXPECT_EQ(with("False")->bytes, 2.0 * 4 * 2 * 4 * 128 * 64);
}

TEST(OpFormulas, BytesOfElementwiseOps) {
  const auto add = cost("aten::add", op("[[32, 64], [64], []]", R"(["float", "float", "Scalar"])"));
  ASSERT_TRUE(add);
  EXPECT_FALSE(add->flops);
  EXPECT_EQ(add->bytes, 4.0 * (32 * 64 + 64 + 32 * 64));
  EXPECT_EQ(cost("aten::copy_", op("[[32], [32], []]", R"(["c10::Half", "float"])"))->bytes,
            32 * (2.0 + 4));
  EXPECT_EQ(cost("aten::fill_", op("[[32], []]", R"(["float", "Scalar"])"))->bytes, 32 * 4.0);
  EXPECT_EQ(cost("aten::add_", op("[[32], [32], []]", R"(["c10::Half", "float"])"))->bytes,
            32 * (2.0 + 4 + 2));
  EXPECT_EQ(cost("aten::eq", op("[[32], [32]]", R"(["float", "float"])"))->bytes, 32 * 9.0);
  // Stride 0: expanded, one row in memory.
  EXPECT_EQ(cost("aten::copy_",
                 op("[[8, 32], [8, 32]]", R"(["float", "float"])", "", "[[32, 1], [0, 1]]"))
                ->bytes,
            4.0 * (8 * 32 + 32));
}

TEST(OpFormulas, NormsReadAllAndWriteTheFirst) {
  const auto norm = cost("aten::cudnn_batch_norm",
                         op("[[2, 512, 7, 7], [512], [512], [512], [512], [], []]",
                            R"(["float", "float", "float", "float", "float", "Scalar"])"));
  ASSERT_TRUE(norm);
  EXPECT_EQ(norm->op_class, OpClass::kNormalization);
  EXPECT_EQ(norm->bytes, 4.0 * (2 * 2 * 512 * 49 + 4 * 512));
}

TEST(OpCosts, TheSameInputsHaveOneCost) {
  OpCosts costs;
  const ChromeOp mm = op("[[8, 16], [16, 8]]", R"(["float", "float"])");
  EXPECT_EQ(costs.of("aten::mm", 5, mm), 0U);
  EXPECT_EQ(costs.of("aten::mm", 5, mm), 0U);
  EXPECT_EQ(costs.of("aten::mm", 5, op("[[8, 8], [8, 8]]", R"(["float", "float"])")), 1U);
  EXPECT_FALSE(costs.of("aten::view", 6, mm));
  EXPECT_EQ(costs.take().size(), 2U);
}

// Traces of 2021 have no strides: the backward pass shows how large the output was.
TEST(OpCosts, AConvolutionWithoutStridesTakesItsOutputFromTheBackwardPass) {
  OpCosts costs;
  const auto forward = costs.of("aten::cudnn_convolution", 1, op(kConvDims, kConvTypes));
  ASSERT_TRUE(forward);
  ASSERT_TRUE(costs.of("aten::cudnn_convolution_backward", 2,
                       op("[[32, 3, 224, 224], [32, 64, 112, 112], [64, 3, 7, 7]]",
                          R"(["c10::Half", "c10::Half", "c10::Half"])")));
  const run::OpCostTable table = costs.take();
  EXPECT_EQ(table[*forward].flops, kConvFlops);
}

TEST(OpCosts, TwoOutputsOfTheSameShapesSayNothing) {
  OpCosts costs;
  const auto forward = costs.of("aten::cudnn_convolution", 1, op(kConvDims, kConvTypes));
  for (const char* output : {"[32, 64, 112, 112]", "[32, 64, 56, 56]"}) {
    costs.of("aten::cudnn_convolution_backward", 2,
             op("[[32, 3, 224, 224], " + std::string(output) + ", [64, 3, 7, 7]]", kConvTypes));
  }
  EXPECT_FALSE(costs.take()[*forward].flops);
}

}  // namespace
}  // namespace flatout::trace
