#include "seed_traces.h"

#include <string_view>

#include "seed_file.h"

namespace flatout::fuzz {
namespace {

// A step with each kind of event that is understood.
constexpr std::string_view kStep =
    R"x({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100","totalGlobalMem":85899345920,)x"
    R"x("computeMajor":9,"computeMinor":0}],"distributedInfo":{"rank":0,"world_size":2},)x"
    R"x("baseTimeNanoseconds":1700000000000000000,"traceEvents":[)x"
    R"x({"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":0,"args":{"labels":"GPU 0"}},)x"
    R"x({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":9,"ts":0,"dur":90},)x"
    R"x({"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",)x"
    R"x("pid":9,"tid":9,"ts":1,"dur":20},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":22,"dur":10,"args":{"External id":3}},)x"
    R"x({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":25,"dur":5,)x"
    R"x("args":{"correlation":3}},)x"
    R"x({"ph":"X","cat":"kernel","name":"void gemm<float>(int)","pid":0,"tid":7,"ts":31.5,"dur":10.25,)x"
    R"x("args":{"device":0,"stream":7,"correlation":3,"grid":[1,1,1]}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: AddBackward0","pid":9,"tid":10,)x"
    R"x("ts":40,"dur":10},)x"
    R"x({"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":9,"tid":9,"ts":52,"dur":8},)x"
    R"x({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":55,"dur":3,)x"
    R"x("args":{"device":0,"stream":7,"correlation":4,"bytes":4096}},)x"
    R"x({"ph":"X","cat":"user_annotation","name":"Optimizer.step#SGD.step","pid":9,"tid":9,"ts":65,"dur":20},)x"
    R"x({"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":70,"dur":1,)x"
    R"x("args":{"device":0,"stream":7}},)x"
    R"x({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":"stream 9",)x"
    R"x("ts":"72","dur":12,"args":{"device":0,"Collective name":"allreduce","Seq":3,"In msg nelems":8,)x"
    R"x("Process Group Name":"0","Process Group Ranks":"[0, 1]"}},)x"
    R"x({"ph":"B","cat":"cpu_op","name":"aten::mul","pid":9,"tid":9,"ts":86},)x"
    R"x({"ph":"E","pid":9,"tid":9,"ts":88}]})x";

// Ops whose shapes are recorded, as they come and as they do not; and what the allocator says.
constexpr std::string_view kShapes =
    R"x({"deviceProperties":[{"id":0,"name":"NVIDIA H200"}],"traceEvents":[)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":9,"args":{)x"
    R"x("Input Dims":[[8,16],[16,24]],"Input type":["c10::Half","c10::Half"],"Input Strides":[[16,1],[0,1]]}},)x"
    R"x({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":2,"dur":1,"args":{"correlation":1}},)x"
    R"x({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":4,"dur":5,"args":{"device":0,"correlation":1}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::convolution","pid":9,"tid":9,"ts":10,"dur":5,"args":{)x"
    R"x("Input Dims":[[2,3,8,8],[4,3,3,3],[4]],"Input type":["float","float","float"],)x"
    R"x("Concrete Inputs":["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"]}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::convolution_backward","pid":9,"tid":9,"ts":20,"dur":5,"args":{)x"
    R"x("Input Dims":[[2,4,4,4],[2,3,8,8],[4,3,3,3]],"Input type":["float"],"Concrete Inputs":["[True, False"]}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::cudnn_convolution","pid":9,"tid":9,"ts":30,"dur":5,)x"
    R"x("args":{"Input Dims":[[2,3,8,8],[4,3,3,3]]}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::_scaled_dot_product_flash_attention","pid":9,"tid":9,"ts":40,"dur":5,)x"
    R"x("args":{"Input Dims":[[1,2,8,4],[1,2,9,4],[1,2,9,4]],"Concrete Inputs":["","","","","True"]}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":50,"dur":5,"args":{)x"
    R"x("Input Dims":[[-1,9223372036854775807],[1e400],[[1],[2]],"8",null,{"a":[1]}],"Input type":"float"}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::addmm","pid":9,"tid":9,"ts":60,"dur":5,"args":{)x"
    R"x("Input Dims":"[[4],[1099511627776,1099511627776],[1099511627776,4]]","Input type":["float","\"","]"]}},)x"
    R"x({"ph":"X","cat":"cpu_op","name":"aten::_foreach_add_","pid":9,"tid":9,"ts":70,"dur":5,"args":{)x"
    R"x("Input Dims":[[[4],[5,6]],[[4],[5,6]],[]],"Input type":["TensorList","TensorList","Scalar"]}},)x"
    R"x({"ph":"i","name":"[memory]","pid":9,"tid":9,"ts":71,"args":{"Device Type":1,"Device Id":0,)x"
    R"x("Total Allocated":1024,"Total Reserved":4096,"Bytes":512}},)x"
    R"x({"ph":"i","name":"[memory]","pid":9,"tid":9,"ts":72,"args":{"Device Type":1,"Device Id":0,)x"
    R"x("Total Allocated":18446744073709551615,"Total Reserved":-1}}]})x";

}  // namespace

bool write_trace_seeds(const std::string& folder) {
  return write_file(folder + "/step", kStep) && write_file(folder + "/shapes", kShapes) &&
         write_file(folder + "/cut", kStep.substr(0, kStep.size() / 2)) &&
         write_file(folder + "/odd",
                    R"x([{"ph":"X","cat":"kernel","pid":0,"ts":NaN,"dur":1e400},,)x"
                    R"x({"name":"\ud83d\ude00\u0000","ts":-9e18,"dur":9e18}])x");
}

}  // namespace flatout::fuzz
