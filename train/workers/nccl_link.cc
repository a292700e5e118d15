#include "train/workers/nccl_link.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/core.h>

#include <chrono>
#include <cstring>
#include <future>
#include <string>
#include <thread>

#include "runtime/base/error.h"
#include "runtime/base/stopwatch.h"
#include "runtime/base/try_again.h"

namespace outrider::train {
namespace {

/// What NCCL did not do.
struct Failure : std::runtime_error {
  Failure(int of, const std::string& text) : std::runtime_error(text), result(of) {}
  int result;  // kInProgress: it took too long
};

/// Calls what ends a communicator. After a lost worker that may wait for ever, so it is left behind after a while.
void end_communicator(int (*end)(nccl::Communicator), nccl::Communicator communicator) {
  constexpr std::chrono::seconds kPatience(5);
  std::promise<void> ended;
  std::future<void> end_seen = ended.get_future();
  std::thread([end, communicator, ended = std::move(ended)]() mutable {
    end(communicator);
    ended.set_value();
  }).detach();
  end_seen.wait_for(kPatience);
}

class NcclLink : public CardLink {
 public:
  /// @throws Failure
  NcclLink(const Workers& workers, const nccl::Functions& functions, const nccl::UniqueId& id,
           at::Device device, double seconds)
      : functions_(functions),
        rank_(workers.rank()),
        count_(workers.count()),
        device_(device),
        seconds_(seconds) {
    const c10::DeviceGuard guard(device_);
    nccl::Config config;
    const Stopwatch watch;
    try {
      check(functions_.ncclCommInitRankConfig(&communicator_, count_, id, rank_, &config));
      wait_until([&] { return is_ready(); }, watch);
    } catch (const Failure&) {
      abort();
      throw;
    }
  }
  NcclLink(const NcclLink&) = delete;
  NcclLink& operator=(const NcclLink&) = delete;
  ~NcclLink() override {
    if (communicator_ != nullptr) end_communicator(functions_.ncclCommDestroy, communicator_);
  }

  const char* name() const override { return "nccl"; }

  void swap(int other, const at::Tensor& mine, const at::Tensor& theirs) override {
    try {
      send_and_receive(other, mine, theirs);
    } catch (const Failure& failure) {
      abort();
      throw no_answer(rank_, count_, other, seconds_, failure.what());
    }
  }

 private:
  void send_and_receive(int other, const at::Tensor& mine, const at::Tensor& theirs) {
    const c10::DeviceGuard guard(device_);
    const c10::impl::VirtualGuardImpl card(device_.type());
    // That of the additions before and after, so that it waits for the ones and the others for it.
    const c10::Stream stream = card.getStream(device_);
    void* const native = card.getStreamNativeHandle(stream);
    const Stopwatch watch;
    check(functions_.ncclGroupStart());
    check(functions_.ncclSend(mine.const_data_ptr<float>(), static_cast<std::size_t>(mine.numel()),
                              nccl::kFloat32, other, communicator_, native));
    check(functions_.ncclRecv(theirs.mutable_data_ptr<float>(),
                              static_cast<std::size_t>(theirs.numel()), nccl::kFloat32, other,
                              communicator_, native));
    check(functions_.ncclGroupEnd());
    wait_until([&] { return is_ready(); }, watch);
    c10::Event done(device_.type());
    done.record(stream);
    wait_until([&] { return is_ready() && done.query(); }, watch);
  }

  /// @throws Failure for an error
  void check(int result) const {
    if (result == nccl::kSuccess || result == nccl::kInProgress) return;
    const std::string last = functions_.ncclGetLastError(communicator_);
    throw Failure(result, fmt::format("NCCL: {}{}{}", functions_.ncclGetErrorString(result),
                                      last.empty() ? "" : ", ", last));
  }

  /// Whether NCCL has done what it was told. @throws Failure for an error of this worker's or another's
  bool is_ready() const {
    int state = nccl::kSuccess;
    check(functions_.ncclCommGetAsyncError(communicator_, &state));
    check(state);
    return state == nccl::kSuccess;
  }

  /// @throws Failure after the workers' timeout
  template <typename Condition>
  void wait_until(const Condition& condition, const Stopwatch& watch) const {
    constexpr std::chrono::microseconds kPoll(50);
    while (!condition()) {
      if (watch.seconds() > seconds_) throw Failure(nccl::kInProgress, "NCCL: it took too long");
      std::this_thread::sleep_for(kPoll);
    }
  }

  void abort() {
    if (communicator_ != nullptr) end_communicator(functions_.ncclCommAbort, communicator_);
    communicator_ = nullptr;
  }

  nccl::Functions functions_;
  int rank_, count_;
  at::Device device_;
  double seconds_;
  nccl::Communicator communicator_ = nullptr;
};

/// The name under which the workers' communicator meets: worker 0's, which gives it to the others.
/// @throws InputError in all where worker 0 cannot make one
nccl::UniqueId common_id(Workers& workers, const nccl::Functions& functions) {
  nccl::UniqueId id{};
  std::string mine;
  if (workers.rank() == 0) {
    const int result = functions.ncclGetUniqueId(&id);
    mine = result == nccl::kSuccess ? std::string(id.bytes, sizeof id.bytes)
                                    : std::string(functions.ncclGetErrorString(result));
  }
  const std::string found = workers.gather(mine).front();
  if (found.size() != sizeof id.bytes)
    throw InputError(
        fmt::format("--exchange nccl: worker 0 can not be found by the others: NCCL: {}; "
                    "NCCL_SOCKET_IFNAME names the network interface to use",
                    found));
  std::memcpy(id.bytes, found.data(), found.size());
  return id;
}

}  // namespace

std::unique_ptr<CardLink> link_by_nccl(Workers& workers, const NcclLibrary& library,
                                       at::Device device, double seconds) {
  const nccl::UniqueId id = common_id(workers, library.functions);
  try {
    return std::make_unique<NcclLink>(workers, library.functions, id, device, seconds);
  } catch (const Failure& failure) {
    const std::string text = fmt::format(
        "--exchange nccl: worker {} of {} could not connect its card to the others within {} s: {}",
        workers.rank(), workers.count(), seconds, failure.what());
    if (failure.result == nccl::kInProgress || failure.result == nccl::kRemoteError)
      throw TryAgain(text);
    throw InputError(
        fmt::format("{}; NCCL_DEBUG=INFO tells more, and --exchange gloo does without NCCL", text));
  }
}

}  // namespace outrider::train
