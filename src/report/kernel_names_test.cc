#include "report/kernel_names.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flatout::report {
namespace {

using Names = std::vector<std::string>;

TEST(KernelNames, ShortOnesAreTheFunctionAlone) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "AddFunctor<float>, at::detail::Array<char*, 3> >(int)"),
            "vectorized_elementwise_kernel");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::softmax<float>(float*)"),
            "softmax");
  EXPECT_EQ(short_kernel_name("sm90_xmma_gemm_f32"), "sm90_xmma_gemm_f32");
  EXPECT_EQ(short_kernel_name("work(float*, int)"), "work");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("::<("), "");
}

TEST(KernelNames, KernelsAreCalledByTheirOwnName) {
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"void at::native::(anonymous namespace)::CatArray<float, 4>(int)", "CatArray"},
           {"void at::native::<unnamed>::CatArray<at::native::<unnamed>::Opaque<(int)2>>(int)",
            "CatArray"},
           {"void gemv<int, std::enable_if<true, int>::type >(int)", "gemv"},
           {"std::enable_if<!(false), void>::type internal::gemvx::gemv<int, 5>(int)", "gemv"},
           {"CUDA graph 3", "CUDA graph 3"},
           {"triton_poi_fused_add_1", "triton_poi_fused_add_1"}}) {
    EXPECT_EQ(short_kernel_name(name), text);
  }
}

TEST(KernelNames, InstancesOfATemplateDifferInAnArgument) {
  EXPECT_EQ(
      distinct_kernel_names(
          {"void at::native::vec<4, at::native::AddFunctor<float>, Array<char*, 3> >(int)", "gemm",
           "void at::native::vec<4, at::native::relu<float>(Iter&, float)::{lambda("
           "float, float)#1}, Array<char*, 3> >(int)"}),
      (Names{"vec<AddFunctor>", "gemm", "vec<relu>"}));
  EXPECT_EQ(distinct_kernel_names({"void conv<float, 1024, 6>(int)", "void conv<float, 128, 6>()"}),
            (Names{"conv<1024>", "conv<128>"}));
}

TEST(KernelNames, TheArgumentWithMostDifferencesIsTaken) {
  EXPECT_EQ(distinct_kernel_names({"k<1, a>", "k<2, b>", "k<1, c>"}),
            (Names{"k<a>", "k<b>", "k<c>"}));
}

TEST(KernelNames, DifferencesWithinAnArgumentAreSeen) {
  EXPECT_EQ(distinct_kernel_names(
                {"k<128, impl<at::Binary<float, Mul<float> > >(It&)::{lambda(int)#1}>",
                 "k<128, impl<at::Binary<float, Add<float> > >(It&)::{lambda(int)#1}>"}),
            (Names{"k<Mul>", "k<Add>"}));
}

TEST(KernelNames, WhatDoesNotDifferStaysAlike) {
  EXPECT_EQ(distinct_kernel_names({"k(int)", "k(float)"}), (Names{"k", "k"}));
  EXPECT_EQ(distinct_kernel_names({"k<float", "k<double>"}), (Names{"k", "k"})) << "cut off";
  EXPECT_EQ(distinct_kernel_names({"k", "k<int>"}), (Names{"k", "k"}));
  EXPECT_EQ(distinct_kernel_names({}), Names{});
}

TEST(KernelNames, DeepArgumentsEnd) {
  std::string deep[2];
  for (int i = 0; i < 2; ++i) {
    for (int n = 0; n < 50'000; ++n) deep[i] += "k<";
    deep[i] += std::to_string(i);
    for (int n = 0; n < 50'000; ++n) deep[i] += ">";
  }
  EXPECT_EQ(distinct_kernel_names({deep[0], deep[1]}), (Names{"k", "k"}));
}

}  // namespace
}  // namespace flatout::report
