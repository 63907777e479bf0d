// Making communicators from an id. NCCL user guide, "Communicator Creation and Management
// Functions".
#include "nccl/creation.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/process.h"
#include "core/visible.h"
#include "nccl/group.h"
#include "nccl/old_cliques.h"
#include "nccl/status.h"

namespace simgpu::nccl {

bool is_blocking(const ncclConfig_t* config, bool otherwise) {
  return config == nullptr || config->magic != kNcclConfigMagic ||
                 (config->blocking != 0 && config->blocking != 1)
             ? otherwise
             : config->blocking == 1;
}

ncclResult_t make_communicator(const NewCommunicator& what, ncclComm_t* handle) {
  if (handle == nullptr) {
    return fail(ncclInvalidArgument, "there is no place for the communicator");
  }
  *handle = nullptr;
  return make({.begin =
                   [=] {
                     auto* const made = new ncclComm;
                     const ncclResult_t result =
                         open_communicator(what.name, what.rank_count, what.rank, what.device,
                                           what.blocking, made->communicator);
                     if (result == ncclSuccess) {
                       *handle = made;
                     } else {
                       delete made;
                     }
                     return result;
                   },
               .finish =
                   [=] {
                     const auto made = (*handle)->communicator;  // an abort may delete the handle
                     if (what.blocking) {
                       return wait_until_ready(*made);
                     }
                     return is_ready(*made) ? ncclSuccess : ncclInProgress;
                   }});
}

}  // namespace simgpu::nccl

namespace {

constexpr char kPrefix[] = "nccl-";

ncclResult_t init(ncclComm_t* comm, int ranks, const ncclUniqueId& id, int rank, bool blocking) {
  if (std::strncmp(id.internal, kPrefix, std::strlen(kPrefix)) != 0 ||
      std::memchr(id.internal, '\0', sizeof id.internal) == nullptr ||
      std::strchr(id.internal, '/') != nullptr) {
    return simgpu::nccl::fail(ncclInvalidArgument, "the id is not one of ncclGetUniqueId");
  }
  return simgpu::nccl::make_communicator({.name = id.internal,
                                          .rank_count = ranks,
                                          .rank = rank,
                                          .device = simgpu::current_device(),
                                          .blocking = blocking},
                                         comm);
}

}  // namespace

SIMGPU_NCCL ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  SIMGPU_LIBRARY_API(ncclGetUniqueId);
  if (id == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  simgpu::nccl::remove_old_cliques();
  std::random_device random;
  *id = {};
  std::snprintf(id->internal, sizeof id->internal, "%s%08x%08x%08x", kPrefix, random(), random(),
                random());
  return simgpu_scope_.ends(ncclSuccess);
}

SIMGPU_NCCL ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  SIMGPU_LIBRARY_API(ncclCommInitRank);
  return simgpu_scope_.ends(init(comm, ranks, id, rank, true));
}

SIMGPU_NCCL ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id,
                                                int rank, const ncclConfig_t* config) {
  SIMGPU_LIBRARY_API(ncclCommInitRankConfig);
  return simgpu_scope_.ends(init(comm, ranks, id, rank, simgpu::nccl::is_blocking(config, true)));
}

// More ids make only the real library's start faster.
SIMGPU_NCCL ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank,
                                                  int id_count, const ncclUniqueId* ids,
                                                  const ncclConfig_t* config) {
  SIMGPU_LIBRARY_API(ncclCommInitRankScalable);
  if (id_count < 1 || ids == nullptr) {
    return simgpu_scope_.ends(ncclInvalidArgument);
  }
  return simgpu_scope_.ends(
      init(comm, ranks, ids[0], rank, simgpu::nccl::is_blocking(config, true)));
}

SIMGPU_NCCL ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  SIMGPU_LIBRARY_API(ncclCommInitAll);
  for (int rank = 0; rank < count; ++rank) {
    if (!simgpu::is_visible(devices == nullptr ? rank : devices[rank])) {
      return simgpu_scope_.ends(simgpu::nccl::fail(ncclInvalidArgument, "there is no such device"));
    }
  }
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclGroupStart();
  for (int rank = 0; rank < count; ++rank) {
    const int local = devices == nullptr ? rank : devices[rank];
    simgpu::nccl::make_communicator({.name = id.internal,
                                     .rank_count = count,
                                     .rank = rank,
                                     .device = simgpu::machine_device(local),
                                     .blocking = true},
                                    &comms[rank]);
  }
  return simgpu_scope_.ends(ncclGroupEnd());
}
