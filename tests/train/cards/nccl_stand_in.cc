// What a program that loads libnccl.so.2 finds in tests: the functions of train/workers/nccl.h for the separate device, whose
// numbers go from process to process as files. As NCCL's, a call returns at once, and a lost worker is not noticed.
//
// Of the environment:
//   STAND_IN         the folder of the files
//   STAND_IN_FAULT   what this process does wrong:
//     old, newer          has another version
//     no-id               makes no name to meet by
//     init-error          cannot connect
//     init-hangs          never connects
//     send-hangs          gives the others nothing from the fourth exchange on
//     remote-error        notices then that another has ended
//     abort-hangs         as send-hangs, and aborting does not return
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/train/separate_device.h"
#include "train/workers/nccl.h"

namespace nccl = outrider::train::nccl;

namespace outrider::train::nccl {

struct OpaqueCommunicator {
  std::string name;
  int rank = 0, count = 0;
  std::atomic<int> state = kInProgress;
  std::atomic<bool> ended = false;
  std::map<int, int> sent, taken;  // numbers of files, by the other worker
  int exchanges = 0;
  std::thread worker;
};

}  // namespace outrider::train::nccl

namespace {

namespace fs = std::filesystem;

constexpr int kSystemError = 2, kInvalidArgument = 4, kInvalidUsage = 5;

struct Transfer {
  char* bytes;
  std::size_t size;
  int other;
};
std::vector<Transfer> sends, receipts;  // of the group that is open
nccl::Communicator group_of = nullptr;
bool group_is_open = false;
std::atomic<bool> stream_is_done = true;

bool fault(const std::string& name) {
  const char* const wanted = std::getenv("STAND_IN_FAULT");
  return wanted != nullptr && name == wanted;
}

void rest() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

fs::path file(const nccl::OpaqueCommunicator& of, const std::string& rest) {
  return fs::path(std::getenv("STAND_IN")) / (of.name + "-" + rest);
}

fs::path message(const nccl::OpaqueCommunicator& of, int from, int to, int number) {
  return file(of, std::to_string(from) + "-" + std::to_string(to) + "-" + std::to_string(number));
}

void write(const fs::path& path, const char* bytes, std::size_t size) {
  const fs::path part = path.string() + ".part";
  std::ofstream(part, std::ios::binary).write(bytes, static_cast<std::streamsize>(size));
  fs::rename(part, path);
}

/// @return false where the communicator was ended while it waited
bool wait_for(const nccl::OpaqueCommunicator& of, const fs::path& path) {
  while (!of.ended && !fs::exists(path)) rest();
  return !of.ended;
}

void connect(nccl::OpaqueCommunicator& of) {
  while (fault("init-hangs") && !of.ended) rest();
  if (fault("init-error")) {
    of.state = kSystemError;
    return;
  }
  write(file(of, std::to_string(of.rank)), "", 0);
  for (int rank = 0; rank < of.count; ++rank)
    if (!wait_for(of, file(of, std::to_string(rank)))) return;
  of.state = nccl::kSuccess;
}

void transfer(nccl::OpaqueCommunicator& of, std::vector<Transfer> out, std::vector<Transfer> in) {
  const bool is_lost =
      (fault("send-hangs") || fault("abort-hangs") || fault("remote-error")) && of.exchanges > 3;
  of.state = nccl::kSuccess;  // all is on the stream
  if (is_lost && fault("remote-error")) {
    of.state = nccl::kRemoteError;
    return;
  }
  for (const Transfer& one : out)
    if (!is_lost) write(message(of, of.rank, one.other, of.sent[one.other]++), one.bytes, one.size);
  for (const Transfer& one : in) {
    const fs::path path = message(of, one.other, of.rank, of.taken[one.other]++);
    if (!wait_for(of, path)) return;
    std::ifstream(path, std::ios::binary).read(one.bytes, static_cast<std::streamsize>(one.size));
    fs::remove(path);
  }
  while (is_lost && !of.ended) rest();
  stream_is_done = !of.ended;
}

char* on_processor(const void* address) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(address) ^
                                 outrider::test::kSeparate);
}

int add(std::vector<Transfer>& to, const void* bytes, std::size_t numbers, int type, int other,
        nccl::Communicator of) {
  if (!group_is_open || type != nccl::kFloat32 || other < 0 || other >= of->count ||
      other == of->rank || of->state != nccl::kSuccess)
    return kInvalidUsage;
  group_of = of;
  to.push_back({on_processor(bytes), numbers * sizeof(float), other});
  return nccl::kSuccess;
}

int end(nccl::Communicator of) {
  of->ended = true;
  if (of->worker.joinable()) of->worker.join();
  delete of;
  return nccl::kSuccess;
}

}  // namespace

extern "C" {

/// Whether what was put on the stream is done.
bool stand_in_is_done() { return stream_is_done; }

int ncclGetVersion(int* version) {
  *version = fault("old") ? 2804 : fault("newer") ? 22907 : 22809;
  return nccl::kSuccess;
}
const char* ncclGetErrorString(int result) {
  return result == nccl::kRemoteError ? "remote process exited or there was a network error"
                                      : "unhandled system error";
}
const char* ncclGetLastError(nccl::Communicator) { return "the stand-in says so"; }

int ncclGetUniqueId(nccl::UniqueId* id) {
  if (fault("no-id")) return kSystemError;
  std::random_device random;
  std::memset(id->bytes, 0, sizeof id->bytes);
  const std::string name = std::to_string(random()) + "-" + std::to_string(::getpid());
  name.copy(id->bytes, sizeof id->bytes - 1);
  return nccl::kSuccess;
}
int ncclCommInitRankConfig(nccl::Communicator* made, int count, nccl::UniqueId id, int rank,
                           nccl::Config* config) {
  if (config->size != sizeof *config || config->magic != 0xcafebeef || config->blocking != 0)
    return kInvalidArgument;
  *made = new nccl::OpaqueCommunicator;
  (*made)->name = id.bytes;
  (*made)->rank = rank;
  (*made)->count = count;
  (*made)->worker = std::thread([of = *made] { connect(*of); });
  return nccl::kInProgress;
}
int ncclCommGetAsyncError(nccl::Communicator of, int* state) {
  *state = of->state;
  return nccl::kSuccess;
}
int ncclCommAbort(nccl::Communicator of) {
  while (fault("abort-hangs")) rest();
  return end(of);
}
int ncclCommDestroy(nccl::Communicator of) { return end(of); }

int ncclGroupStart() {
  group_is_open = true;
  return nccl::kSuccess;
}
int ncclGroupEnd() {
  group_is_open = false;
  const nccl::Communicator of = group_of;
  of->worker.join();
  of->state = nccl::kInProgress;
  stream_is_done = false;
  ++of->exchanges;
  of->worker = std::thread([of, out = std::move(sends), in = std::move(receipts)]() mutable {
    rest();
    transfer(*of, std::move(out), std::move(in));
  });
  sends.clear();
  receipts.clear();
  return nccl::kInProgress;
}
int ncclSend(const void* from, std::size_t numbers, int type, int other, nccl::Communicator of,
             void*) {
  return add(sends, from, numbers, type, other, of);
}
int ncclRecv(void* to, std::size_t numbers, int type, int other, nccl::Communicator of, void*) {
  return add(receipts, to, numbers, type, other, of);
}

}  // extern "C"
