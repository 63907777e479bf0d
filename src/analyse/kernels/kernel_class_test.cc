#include "analyse/kernels/kernel_class.h"

#include <gtest/gtest.h>

namespace flatout::analyse {
namespace {

struct Named {
  const char* name;
  KernelClass kind;
  bool tensor_cores;
};

TEST(KernelClass, CollectivesOfEveryNamingEra) {
  for (const char* name :
       {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)",               // NCCL 2.4
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",      // 2.8
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",  // 2.10
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",  // 2.19
        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",                         // 2.22
        "ncclSymDevKernel_AllReduce_RSxLD_AGxST(ncclSymDevArgs)",                           // 2.27
        "ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)",                     // RCCL
        "rccl_main_kernel", "void vllm::cross_device_reduce_1stage<half, 2>(RankData*)",
        "two_shot_all_reduce_kernel"}) {
    EXPECT_EQ(kernel_class(name), KernelClass::kCollective) << name;
    EXPECT_FALSE(uses_tensor_cores(name)) << name;
  }
}

TEST(KernelClass, ComputeByItsName) {
  using enum KernelClass;
  for (const Named& one : std::initializer_list<Named>{
           {"volta_sgemm_128x64_nn", kGemm, false},
           {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", kGemm, true},
           {"turing_h1688gemm_128x128_ldg8_tn", kGemm, true},
           {"ampere_sgemm_32x32_sliced1x4_tn", kGemm, false},
           {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", kGemm, true},
           {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>(x)", kGemm,
            true},
           {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(x)", kGemm, false},
           {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64", kGemm, true},
           {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", kGemm, true},
           {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_SE", kGemm, false},
           {"void splitKreduce_kernel<float, float>(x)", kGemm, false},
           {"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw", kConvolution,
            true},
           {"cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1", kConvolution, false},
           {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(x)", kConvolution,
            false},
           {"void fft2d_r2c_32x32<float, false, 5u, true>(x)", kConvolution, false},
           {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128>>(x)",
            kAttention, true},
           {"void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(x)", kNormalization,
            false},
           {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(x)",
            kNormalization, false},
           {"void (anonymous namespace)::softmax_warp_forward<float>(x)", kSoftmax, false},
           {"void at::native::reduce_kernel<512, 1, ReduceOp<float>>(x)", kReduction, false},
           {"void cudnn::ops::nchwToNhwcKernel<float, float>(x)", kTranspose, false},
           {"void at::native::(anonymous namespace)::indexSelectLargeIndex<long>(x)", kIndexing,
            false},
           {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<x>(x)", kOptimizer,
            false},
           {"void at::native::vectorized_elementwise_kernel<4, AddFunctor<float>>(x)", kElementwise,
            false},
           {"triton_poi_fused_add_relu_0", kElementwise, false},
           {"my_own_kernel", kOther, false},
           {"", kOther, false}}) {
    EXPECT_EQ(kernel_class_name(kernel_class(one.name)), kernel_class_name(one.kind)) << one.name;
    EXPECT_EQ(uses_tensor_cores(one.name), one.tensor_cores) << one.name;
  }
}

}  // namespace
}  // namespace flatout::analyse
