// Compiled once an instruction set; see flatout_by_instruction_set.
#include "data/transform/kernels/kernels.h"

#include "data/transform/kernels/colour_kernels.h"
#include "data/transform/kernels/plain_kernels.h"

#if defined(__AVX2__)
#include "data/transform/kernels/avx2_horizontal.h"
#include "data/transform/kernels/avx2_look_up.h"
#include "data/transform/kernels/avx2_vertical.h"
#include "data/transform/kernels/avx2_write.h"
static_assert(HWY_TARGET == HWY_AVX2,
              "Highway takes x86-64-v3 for less than AVX2 unless HWY_DISABLE_PCLMUL_AES is set");
#endif

namespace flatout::data::transform {
namespace FLATOUT_ISA {
namespace {

#if defined(__AVX2__)
constexpr Kernels kKernels = {
    .name = "avx2",
    .horizontal_rgb = avx2_horizontal_rgb,
    .horizontal_grey = plain_horizontal<1>,
    .vertical = avx2_vertical,
    .write_plane = {avx2_write_plane<ToFloat32>, avx2_write_plane<ToFloat16>,
                    avx2_write_plane<ToBfloat16>, copy_plane},
    .write_mixed = {avx2_write_mixed<ToFloat32>, avx2_write_mixed<ToFloat16>,
                    avx2_write_mixed<ToBfloat16>, avx2_mix},
    .luma_sum = luma_sum,
    .grey = grey,
    .look_up = avx2_look_up,
    .saturate = saturate,
    .turn_hue = turn_hue,
};
#else
constexpr Kernels kKernels = {
    .name = "plain",
    .horizontal_rgb = plain_horizontal<3>,
    .horizontal_grey = plain_horizontal<1>,
    .vertical = plain_vertical,
    .write_plane = {look_up_plane<Float32Table>, look_up_plane<Bits16Table>,
                    look_up_plane<Bits16Table>, copy_plane},
    .write_mixed = {look_up_mixed<Float32Table>, look_up_mixed<Bits16Table>,
                    look_up_mixed<Bits16Table>, mix_plain},
    .luma_sum = luma_sum,
    .grey = grey,
    .look_up = look_up,
    .saturate = saturate,
    .turn_hue = turn_hue,
};
#endif

}  // namespace

const Kernels& kernels() { return kKernels; }

}  // namespace FLATOUT_ISA
}  // namespace flatout::data::transform
