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
         write_database(folder + "/odd", "", kOddExport);
}

}  // namespace flatout::fuzz
