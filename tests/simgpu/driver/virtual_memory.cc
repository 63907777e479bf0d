// CUDA Driver API, "Virtual Memory Management": memory by handles, mapped into reserved addresses.
// The memory of all handles lies in one file of the process, each at an offset of its own, so that
// its content stays while it is mapped elsewhere, and two mappings of one handle share it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "core/visible.h"
#include "driver/addresses.h"

namespace {

namespace memory = simgpu::memory;
using simgpu::Locked;
using simgpu::process;
using simgpu::driver::address_of;
using simgpu::driver::pointer_of;

constexpr std::size_t kGranularity = 2 << 20;

struct Physical {
  int device;
  std::size_t bytes;
  off_t offset;
  unsigned references;  // by its creator, by those who retained it, and one a mapping
  CUmemAllocationProp properties;
};
struct Mapping {
  std::size_t bytes;
  CUmemGenericAllocationHandle handle;
};

struct VirtualMemory {
  std::map<CUmemGenericAllocationHandle, Physical> physical;
  std::map<CUdeviceptr, Mapping> mappings;
  std::map<CUdeviceptr, std::size_t> reserved;
  CUmemGenericAllocationHandle handles = 0;
  int file = -1;
  off_t file_end = 0;
};

VirtualMemory& all() {
  static auto* kept = new VirtualMemory;
  return *kept;
}

bool is_granular(std::size_t number) { return number % kGranularity == 0; }

// The reservation that holds all of it, or the end.
auto reservation_of(CUdeviceptr address, std::size_t bytes) {
  auto at = all().reserved.upper_bound(address);
  if (at == all().reserved.begin()) {
    return all().reserved.end();
  }
  --at;
  return address + bytes <= at->first + at->second ? at : all().reserved.end();
}

// Whether whole mappings fill these addresses.
bool is_mapped(CUdeviceptr address, std::size_t bytes) {
  const CUdeviceptr end = address + bytes;
  for (auto at = all().mappings.find(address); at != all().mappings.end() && address < end;
       at = all().mappings.find(address)) {
    address += at->second.bytes;
  }
  return address == end;
}

void drop_reference(CUmemGenericAllocationHandle handle) {
  const auto at = all().physical.find(handle);
  if (--at->second.references == 0) {
    const Physical& gone = at->second;
    fallocate(all().file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, gone.offset,
              static_cast<off_t>(gone.bytes));
    memory::give_back(gone.device, gone.bytes);
    all().physical.erase(at);
  }
}

// Room in the file, which takes no memory until it is written to; false where there is none.
bool extend_file(std::size_t bytes) {
  VirtualMemory& here = all();
  if (here.file < 0) {
    here.file = memfd_create("simgpu", MFD_CLOEXEC);
  }
  const off_t end = here.file_end + static_cast<off_t>(bytes);
  if (here.file < 0 || ftruncate(here.file, end) != 0) {
    return false;
  }
  here.file_end = end;
  return true;
}

// Address space at a multiple of `alignment`; 0 where there is none.
CUdeviceptr reserve_aligned(std::size_t bytes, std::size_t alignment) {
  void* const whole = memory::reserve(bytes + alignment);
  if (whole == nullptr) {
    return 0;
  }
  const CUdeviceptr begin = address_of(whole);
  const CUdeviceptr aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned > begin) {
    memory::unreserve(whole, aligned - begin);
  }
  memory::unreserve(pointer_of(aligned + bytes), begin + alignment - aligned);
  return aligned;
}

bool is_on_visible_device(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && simgpu::is_visible(location.id);
}

CUresult create(CUmemGenericAllocationHandle* made, size_t bytes, const CUmemAllocationProp& how) {
  const int device = simgpu::machine_device(how.location.id);
  if (!memory::take(device, bytes)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const Locked guard(process().lock);
  const off_t offset = all().file_end;
  if (!extend_file(bytes)) {
    memory::give_back(device, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *made = ++all().handles;
  all().physical[*made] = {device, bytes, offset, 1, how};
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* told, const CUmemAllocationProp* how,
                                       CUmemAllocationGranularity_flags /*which*/) {
  SIMGPU_DRIVER_BEGIN(cuMemGetAllocationGranularity)
  SIMGPU_DRIVER_REQUIRE(told != nullptr && how != nullptr && is_on_visible_device(how->location))
  *told = kGranularity;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemAddressReserve(CUdeviceptr* made, size_t bytes, size_t alignment,
                             CUdeviceptr /*wish*/, unsigned long long flags) {
  SIMGPU_DRIVER_BEGIN(cuMemAddressReserve)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && bytes > 0 && is_granular(bytes) && flags == 0)
  SIMGPU_DRIVER_REQUIRE((alignment & (alignment - 1)) == 0)
  const CUdeviceptr address = reserve_aligned(bytes, std::max(alignment, kGranularity));
  if (address == 0) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_OUT_OF_MEMORY);
  }
  const Locked guard(process().lock);
  all().reserved[address] = bytes;
  *made = address;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  SIMGPU_DRIVER_BEGIN(cuMemAddressFree)
  const Locked guard(process().lock);
  const auto at = all().reserved.find(address);
  SIMGPU_DRIVER_REQUIRE(at != all().reserved.end() && at->second == bytes)
  const auto mapping = all().mappings.lower_bound(address);
  SIMGPU_DRIVER_REQUIRE(mapping == all().mappings.end() || mapping->first >= address + bytes)
  memory::unreserve(pointer_of(address), bytes);
  all().reserved.erase(at);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* made, size_t bytes,
                     const CUmemAllocationProp* how, unsigned long long flags) {
  SIMGPU_DRIVER_BEGIN(cuMemCreate)
  SIMGPU_DRIVER_REQUIRE(made != nullptr && how != nullptr && bytes > 0 && is_granular(bytes))
  SIMGPU_DRIVER_REQUIRE(flags == 0 && how->type == CU_MEM_ALLOCATION_TYPE_PINNED)
  if (how->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      (how->requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC) != 0) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NOT_SUPPORTED);  // memory of the host, and of a fabric
  }
  if (!simgpu::is_visible(how->location.id)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);
  }
  SIMGPU_DRIVER_RETURN(create(made, bytes, *how));
}

// The memory goes once nothing maps it any more.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  SIMGPU_DRIVER_BEGIN(cuMemRelease)
  const Locked guard(process().lock);
  SIMGPU_DRIVER_REQUIRE(all().physical.contains(handle))
  drop_reference(handle);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  SIMGPU_DRIVER_BEGIN(cuMemMap)
  const Locked guard(process().lock);
  const auto physical = all().physical.find(handle);
  SIMGPU_DRIVER_REQUIRE(physical != all().physical.end() && flags == 0 && offset == 0)
  SIMGPU_DRIVER_REQUIRE(is_granular(address) && is_granular(bytes))
  SIMGPU_DRIVER_REQUIRE(bytes == physical->second.bytes)
  SIMGPU_DRIVER_REQUIRE(reservation_of(address, bytes) != all().reserved.end())
  const auto next = all().mappings.lower_bound(address);
  SIMGPU_DRIVER_REQUIRE(next == all().mappings.end() || next->first >= address + bytes)
  void* const mapped =
      mmap(pointer_of(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
           all().file, physical->second.offset);
  if (mapped == MAP_FAILED) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_MAP_FAILED);
  }
  memory::map(physical->second.device, mapped, bytes);
  mprotect(mapped, bytes, PROT_NONE);  // until cuMemSetAccess
  ++physical->second.references;
  all().mappings[address] = {bytes, handle};
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  SIMGPU_DRIVER_BEGIN(cuMemUnmap)
  const Locked guard(process().lock);
  SIMGPU_DRIVER_REQUIRE(bytes > 0 && is_mapped(address, bytes))
  memory::unmap(pointer_of(address), bytes);
  const auto end = all().mappings.lower_bound(address + bytes);
  for (auto at = all().mappings.find(address); at != end; at = all().mappings.erase(at)) {
    drop_reference(at->second.handle);
  }
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

// Access is that of the whole process: one granted to another device alone is taken for it, too.
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* which,
                        size_t count) {
  SIMGPU_DRIVER_BEGIN(cuMemSetAccess)
  SIMGPU_DRIVER_REQUIRE(which != nullptr && count > 0)
  const Locked guard(process().lock);
  SIMGPU_DRIVER_REQUIRE(bytes > 0 && is_mapped(address, bytes))
  int protection = PROT_NONE;
  for (std::size_t i = 0; i < count; ++i) {
    SIMGPU_DRIVER_REQUIRE(is_on_visible_device(which[i].location))
    protection |= which[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                  : which[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                       : PROT_NONE;
  }
  mprotect(pointer_of(address), bytes, protection);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* told, void* address) {
  SIMGPU_DRIVER_BEGIN(cuMemRetainAllocationHandle)
  const Locked guard(process().lock);
  const auto at = all().mappings.upper_bound(address_of(address));
  SIMGPU_DRIVER_REQUIRE(told != nullptr && at != all().mappings.begin())
  const auto& [begin, mapping] = *std::prev(at);
  SIMGPU_DRIVER_REQUIRE(address_of(address) < begin + mapping.bytes)
  ++all().physical[mapping.handle].references;
  *told = mapping.handle;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* told,
                                                CUmemGenericAllocationHandle handle) {
  SIMGPU_DRIVER_BEGIN(cuMemGetAllocationPropertiesFromHandle)
  const Locked guard(process().lock);
  const auto at = all().physical.find(handle);
  SIMGPU_DRIVER_REQUIRE(told != nullptr && at != all().physical.end())
  *told = at->second.properties;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
