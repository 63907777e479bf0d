// Where the arrays of a batch lie in a device's memory, and what goes there from where.
#pragma once

#include <cstddef>
#include <vector>

#include "data/device/device_ring.h"
#include "data/open/ready_batch.h"

namespace flatout::data {

struct OpenLoader;

// Arrays on a device begin where CUDA's own memory would, which some kernels count on.
constexpr std::size_t kDeviceAlignment = 256;

constexpr std::size_t aligned_on_device(std::size_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

// Of one sample's label, or of its shares of classes where batches are mixed.
std::size_t label_bytes(const OpenLoader& open);

// Sets batch.device_arrays, and puts its labels behind its pixels in the host's memory.
std::vector<device::Piece> place_pictures(const OpenLoader& open, ReadyBatch& batch);

// Sets batch.device_arrays.
std::vector<device::Piece> place_arrays(ReadyBatch& batch);

}  // namespace flatout::data
