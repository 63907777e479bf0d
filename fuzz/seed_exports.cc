#include "seed_exports.h"

#include <sqlite3.h>

#include <string>

#include "seed_file.h"

namespace flatout::fuzz {
namespace {

// Each table that is read, with a step; globalPid 150994944 is process 9. Pages are small, so that
// changes hit what matters.
constexpr const char* kExportOfStep =
    "PRAGMA page_size=512;"
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1,'void gemm<float>(int)'),(2,'cudaLaunchKernel_v7000'),"
    "(3,'cudaStreamSynchronize_v3020'),(4,'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),"
    "(5,'Optimizer.step#SGD.step');"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, totalMemory INTEGER,"
    " computeMajor INTEGER, computeMinor INTEGER);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H100','0000:65:00.0',85899345920,9,0);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,9);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT);"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1,'CUDA_MEMCPY_KIND_HTOD');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (31500,41750,0,7,3,150994944,1),"
    "(72000,84000,0,9,0,150994944,4);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,"
    " copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (55000,58000,0,7,4,150994944,4096,1,0,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (70000,71000,0,7,0,150994944,64,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,"
    " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (86000,88000,0,7,5,150994944,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
    " correlationId INTEGER, nameId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (25000,30000,150994953,3,2),"
    "(52000,60000,150994953,0,3);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
    " globalTid INTEGER, textId INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES (0,90000,59,'ProfilerStep#1',150994953,NULL),"
    "(1000,21000,59,'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__',150994953,NULL),"
    "(22000,32000,59,'aten::add, seq = 3',150994953,NULL),"
    "(40000,50000,59,'autograd::engine::evaluate_function: A, seq = 3',150994954,NULL),"
    "(65000,85000,60,NULL,150994953,5),(66000,NULL,34,'mark',150994953,NULL);";

// What newer versions export, and what two processes on two devices are recorded as: contexts,
// graphs whose nodes were traced, enumerations of memory, when the session began, ranges that
// another thread ends. globalPid 150994944 is process 9, 167772160 process 10; kernels have but a
// short name.
constexpr const char* kExportOfNodes =
    "PRAGMA page_size=512;"
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1,'gemm'),(2,'cudaGraphLaunch_v10000'),"
    "(3,'cuLaunchKernelEx'),(4,'cudaMemcpyAsync_v3020'),(5,'step'),(6,'add');"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000,'2023');"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER,"
    " computeMajor INTEGER, computeMinor INTEGER);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H200',150110011392,9,0),"
    "(1,'NVIDIA H200',150110011392,9,0);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,9),(1,0,10);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT);"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1,'CUDA_MEMCPY_KIND_HTOD'),"
    "(2,'CUDA_MEMCPY_KIND_DTOH');"
    "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER PRIMARY KEY, name TEXT);"
    "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0,'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE'),"
    "(1,'CUDA_MEMOPR_MEMORY_KIND_PINNED'),(2,'CUDA_MEMOPR_MEMORY_KIND_DEVICE');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " shortName INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20000,30000,0,1,7,1,150994944,1,8589934593),"
    "(31000,33000,0,1,7,1,150994944,6,8589934594),(52000,60000,0,1,7,2,150994944,1,NULL),"
    "(21000,29000,0,2,13,1,167772160,1,8589934593),(120000,130000,0,1,7,3,150994944,1,8589934593),"
    "(131000,133000,0,1,7,3,150994944,6,8589934594),(152000,160000,0,1,7,4,150994944,1,0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
    " (40000,45000,0,1,8,5,150994944,65536,1,1,2,NULL),"
    "(140000,145000,0,1,8,6,150994944,4,2,2,0,8589934595);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " bytes INTEGER, memKind INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES"
    " (34000,35000,0,1,7,1,150994944,64,2,8589934596);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,"
    " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10000,15000,0,150994953,1,2,0),"
    "(38000,39000,0,150994953,5,4,0),(50000,51000,1,150994953,2,3,0),"
    "(110000,115000,0,150994953,3,2,0),(150000,151000,1,150994953,4,3,0),"
    "(138000,146000,0,150994953,6,4,0);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER,"
    " category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER,"
    " textId INTEGER, domainId INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES"
    " (5000,90000,60,1,NULL,NULL,'',150994953,150994960,5,0),"
    "(105000,190000,60,2,NULL,NULL,NULL,150994953,150994953,5,0),"
    "(20000,25000,59,NULL,NULL,NULL,'forward',150994953,NULL,NULL,0),"
    "(95000,NULL,34,NULL,NULL,NULL,'epoch',150994953,NULL,NULL,0),"
    "(0,NULL,75,NULL,NULL,NULL,'NCCL',150994953,NULL,NULL,1),"
    "(30000,NULL,60,3,NULL,NULL,'open',150994953,NULL,NULL,0);";

// What no exporter writes.
constexpr const char* kOddExport =
    "PRAGMA page_size=512;"
    "CREATE TABLE StringIds (id, value) ;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId AS (1), streamId, globalPid,"
    " shortName, PRIMARY KEY (start, end)) WITHOUT ROWID;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('a',x'00',1e300,NULL,'k'),"
    "(-9223372036854775808,9223372036854775807,-1,-1,zeroblob(2000));"
    "CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS end;";

bool write_database(const std::string& path, const std::string& before, const char* sql) {
  sqlite3* handle = nullptr;
  sqlite3_int64 size = 0;
  bool ok = sqlite3_open(":memory:", &handle) == SQLITE_OK &&
            sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  unsigned char* const bytes = ok ? sqlite3_serialize(handle, "main", &size, 0) : nullptr;
  ok = bytes != nullptr &&
       write_file(path, before + std::string(reinterpret_cast<const char*>(bytes),
                                             static_cast<std::size_t>(size)));
  sqlite3_free(bytes);
  sqlite3_close(handle);
  return ok;
}

}  // namespace

bool write_database_seed(const std::string& path, char kind, const char* sql) {
  return write_database(path, std::string(1, kind), sql);
}

bool write_nsys_seeds(const std::string& folder) {
  return write_database(folder + "/step", "", kExportOfStep) &&
         write_database(folder + "/nodes", "", kExportOfNodes) &&
         write_database(folder + "/odd", "", kOddExport);
}

}  // namespace flatout::fuzz
