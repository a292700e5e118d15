#pragma once

#include <cstddef>

/// The part of NCCL's C interface that is used here, as nccl.h has it since version 2.14. Declared here, since NCCL is
/// loaded where it is found and its header is not needed to build; `scripts/check_nccl` compares with the header.
namespace outrider::train::nccl {

/// ncclResult_t
constexpr int kSuccess = 0;
constexpr int kRemoteError = 6;
constexpr int kInProgress = 7;

/// ncclDataType_t
constexpr int kFloat32 = 7;

/// The first version with communicators that do not block, as ncclGetVersion numbers them: 2.14.0.
constexpr int kLeastVersion = 21400;

/// ncclComm_t
struct OpaqueCommunicator;
using Communicator = OpaqueCommunicator*;

/// ncclUniqueId
struct UniqueId {
  char bytes[128];
};

/// ncclConfig_t of version 2.14, which later ones take as it is.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = kLeastVersion;
  int blocking =
      0;  // every call returns at once, and the communicator's state says when it is done
};

/// The functions by their names in the library. A stream is a cudaStream_t.
struct Functions {
  int (*ncclGetVersion)(int* version);
  const char* (*ncclGetErrorString)(int result);
  const char* (*ncclGetLastError)(Communicator);
  int (*ncclGetUniqueId)(UniqueId*);
  int (*ncclCommInitRankConfig)(Communicator*, int count, UniqueId, int rank, Config*);
  int (*ncclCommGetAsyncError)(Communicator, int* state);
  int (*ncclCommAbort)(Communicator);
  int (*ncclCommDestroy)(Communicator);
  int (*ncclGroupStart)();
  int (*ncclGroupEnd)();
  int (*ncclSend)(const void* from, std::size_t numbers, int type, int other, Communicator,
                  void* stream);
  int (*ncclRecv)(void* to, std::size_t numbers, int type, int other, Communicator, void* stream);
};

/// Calls visit(name, function) for each.
template <typename Visitor>
void visit_functions(Functions& functions, Visitor visit) {
  visit("ncclGetVersion", functions.ncclGetVersion);
  visit("ncclGetErrorString", functions.ncclGetErrorString);
  visit("ncclGetLastError", functions.ncclGetLastError);
  visit("ncclGetUniqueId", functions.ncclGetUniqueId);
  visit("ncclCommInitRankConfig", functions.ncclCommInitRankConfig);
  visit("ncclCommGetAsyncError", functions.ncclCommGetAsyncError);
  visit("ncclCommAbort", functions.ncclCommAbort);
  visit("ncclCommDestroy", functions.ncclCommDestroy);
  visit("ncclGroupStart", functions.ncclGroupStart);
  visit("ncclGroupEnd", functions.ncclGroupEnd);
  visit("ncclSend", functions.ncclSend);
  visit("ncclRecv", functions.ncclRecv);
}

}  // namespace outrider::train::nccl
