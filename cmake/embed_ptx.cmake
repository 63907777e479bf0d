# cmake -DNVCC=nvcc -DSOURCE=a.cu -DINCLUDE=src -DOUT=image.cc -P embed_ptx.cmake
# Makes a C++ constant of a kernel file's PTX, for the oldest architecture that today's nvcc knows: drivers compile it for any later
# one. nvcc writes its own version into it, which older drivers refuse, although the kernels use nothing new: where ptxas takes the
# text as PTX 6.3, the first that has compute_75, that is what it says.
cmake_minimum_required(VERSION 3.23)

set(ptx ${OUT}.ptx)
execute_process(COMMAND ${NVCC} -ptx -std=c++17 -O3 -arch=compute_75 -I${INCLUDE} ${SOURCE} -o ${ptx} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT failed EQUAL 0)
  # Another nvcc than ours, or one without a compiler: no reason to build nothing.
  message(WARNING "flatout: ${NVCC} did not compile the CUDA kernels, so this build has none:\n${said}")
  get_filename_component(stage ${SOURCE} DIRECTORY)
  configure_file(${stage}/no_kernel_image.cc ${OUT} COPYONLY)
  return()
endif()
file(READ ${ptx} text)
string(REGEX REPLACE "\n\\.version [0-9.]+\n" "\n.version 6.3\n" older "${text}")
file(WRITE ${ptx} "${older}")
get_filename_component(folder ${NVCC} DIRECTORY)
find_program(PTXAS ptxas HINTS ${folder})
if(PTXAS)
  execute_process(COMMAND ${PTXAS} -arch=sm_75 ${ptx} -o ${OUT}.cubin RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
endif()
if(PTXAS AND refused EQUAL 0)
  set(text "${older}")
else()
  message(STATUS "flatout: the CUDA kernels need a driver as new as nvcc")
endif()
file(WRITE ${OUT} "// Made by cmake/embed_ptx.cmake. Do not edit.
#include \"data/device/kernel_image.h\"

namespace flatout::data::device {

const char* const kKernelImage = R\"ptx(${text})ptx\";

}  // namespace flatout::data::device
")
