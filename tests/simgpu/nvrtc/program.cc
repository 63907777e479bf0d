// NVRTC, "User Interface": programs and what comes out of them.
#include "nvrtc/program.h"

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "core/api.h"

namespace simgpu::nvrtc {
namespace {

struct Programs {
  std::mutex lock;
  std::unordered_set<void*> all;
};

Programs& programs() {
  static auto* kept = new Programs;
  return *kept;
}

nvrtcResult bytes_of(const std::string& text, std::size_t* told) {
  if (told == nullptr) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  *told = text.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult copy_of(const std::string& text, char* into) {
  if (into == nullptr) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  std::memcpy(into, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

}  // namespace

Program* program_of(nvrtcProgram handle) {
  Programs& known = programs();
  const std::lock_guard guard(known.lock);
  return known.all.contains(handle) ? reinterpret_cast<Program*>(handle) : nullptr;
}

}  // namespace simgpu::nvrtc

using simgpu::nvrtc::Program;
using simgpu::nvrtc::program_of;
using simgpu::nvrtc::programs;

#define NVRTC_BEGIN(function)                  \
  SIMGPU_LIBRARY_API(function);                \
  Program* const program = program_of(handle); \
  if (program == nullptr) {                    \
    return NVRTC_ERROR_INVALID_PROGRAM;        \
  }

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  SIMGPU_LIBRARY_API(nvrtcVersion);
  if (major == nullptr || minor == nullptr) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

// Headers that the source includes are not read.
nvrtcResult nvrtcCreateProgram(nvrtcProgram* made, const char* source, const char* /*name*/,
                               int count, const char* const* /*headers*/,
                               const char* const* /*names*/) {
  SIMGPU_LIBRARY_API(nvrtcCreateProgram);
  if (made == nullptr || source == nullptr || count < 0) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  auto* const program = new Program{.source = source, .lowered = {}, .ptx = {}, .log = {}};
  *made = reinterpret_cast<nvrtcProgram>(program);
  const std::lock_guard guard(programs().lock);
  programs().all.insert(program);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* given) {
  SIMGPU_LIBRARY_API(nvrtcDestroyProgram);
  Program* const program = given == nullptr ? nullptr : program_of(*given);
  if (program == nullptr) {
    return NVRTC_ERROR_INVALID_PROGRAM;
  }
  const std::lock_guard guard(programs().lock);
  programs().all.erase(program);
  delete program;
  *given = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram handle, const char* expression) {
  NVRTC_BEGIN(nvrtcAddNameExpression)
  if (program->compiled) {
    return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  }
  program->lowered[expression];
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram handle, const char* expression, const char** name) {
  NVRTC_BEGIN(nvrtcGetLoweredName)
  if (!program->compiled) {
    return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  }
  const auto at = program->lowered.find(expression);
  if (at == program->lowered.end()) {
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  }
  *name = at->second.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram handle, size_t* bytes) {
  NVRTC_BEGIN(nvrtcGetPTXSize)
  return simgpu::nvrtc::bytes_of(program->ptx, bytes);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram handle, char* into) {
  NVRTC_BEGIN(nvrtcGetPTX)
  return simgpu::nvrtc::copy_of(program->ptx, into);
}

// The same PTX: the simulated driver takes it for an image as well.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram handle, size_t* bytes) {
  NVRTC_BEGIN(nvrtcGetCUBINSize)
  return simgpu::nvrtc::bytes_of(program->ptx, bytes);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram handle, char* into) {
  NVRTC_BEGIN(nvrtcGetCUBIN)
  return simgpu::nvrtc::copy_of(program->ptx, into);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram handle, size_t* bytes) {
  NVRTC_BEGIN(nvrtcGetProgramLogSize)
  return simgpu::nvrtc::bytes_of(program->log, bytes);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram handle, char* into) {
  NVRTC_BEGIN(nvrtcGetProgramLog)
  return simgpu::nvrtc::copy_of(program->log, into);
}

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_INVALID_INPUT:
      return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION:
      return "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION:
      return "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID:
      return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default:
      return "NVRTC_ERROR unknown";
  }
}
}
