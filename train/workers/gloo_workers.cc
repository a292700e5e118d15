#include "train/workers/gloo_workers.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Logging.h>
#include <fmt/core.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/try_again.h"
#include "train/workers/meeting_folder.h"

namespace outrider::train {
namespace {

using Milliseconds = std::chrono::milliseconds;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

/// The first line of what LibTorch says, without the place in its sources.
std::string reason(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t place = text.starts_with('[') ? text.find("] ") : std::string::npos;
  const std::size_t begin = place == std::string::npos ? 0 : place + 2;
  return text.substr(begin, text.find('\n') - begin);
}

/// The address from which this host sends to another; empty where it cannot be told.
std::string own_address(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  std::string address;
  for (const addrinfo* one = found; one != nullptr && address.empty(); one = one->ai_next) {
    const int probe = ::socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    char text[NI_MAXHOST];
    // Nothing is sent: a datagram socket only chooses its route.
    if (probe >= 0 && ::connect(probe, one->ai_addr, one->ai_addrlen) == 0 &&
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0)
      address = text;
    if (probe >= 0) ::close(probe);
  }
  freeaddrinfo(found);
  return address;
}

/// Keeps LibTorch from writing stack traces of what is told in a sentence here, unless its user wants them.
void quieten_library() {
  constexpr int kFatal = 3;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kFatal;
}

StorePointer store_at_port(const LaunchedProcess& process, const Meeting& meeting,
                           Milliseconds timeout) {
  // LibTorch may take three times as long as it is told to, where a worker 0 that was there has ended.
  constexpr Milliseconds kAttempt(2000);
  const auto end = std::chrono::steady_clock::now() + timeout;
  c10d::TCPStoreOptions options;
  options.port = meeting.port;
  options.isServer = process.index == 0 && !meeting.has_server;
  options.numWorkers = static_cast<std::size_t>(process.count);
  options.waitWorkers = false;
  options.timeout = std::min(timeout, kAttempt);
  for (;;) {
    try {
      StorePointer store = c10::make_intrusive<c10d::TCPStore>(meeting.host, options);
      // A launcher's own store outlives a start, so that each has keys of its own.
      return c10::make_intrusive<c10d::PrefixStore>("outrider-" + meeting.attempt, store);
    } catch (const std::exception& error) {
      if (reason(error).find("EADDRINUSE") != std::string::npos)
        throw InputError(fmt::format(
            "--workers: port {} of {} is taken by another program; give another one to all workers",
            meeting.port, meeting.host));
      if (std::chrono::steady_clock::now() >= end)
        throw TryAgain(fmt::format("--workers: worker 0 was not found at {}:{} within {} s: {}",
                                   meeting.host, meeting.port, timeout.count() / 1000,
                                   reason(error)));
    }
  }
}

StorePointer open_store(const LaunchedProcess& process, const Meeting& meeting,
                        Milliseconds timeout) {
  quieten_library();
  StorePointer store;
  if (meeting.folder.empty()) {
    store = store_at_port(process, meeting, timeout);
  } else {
    const auto file =
        meet_in_folder(meeting.folder, process.index, process.count, timeout, meeting.interrupted);
    store = c10::make_intrusive<c10d::FileStore>(file.string(), process.count);
  }
  store->setTimeout(timeout);
  return store;
}

/// Waits until all are there, so that the one that is missing can be named.
void wait_for_all(c10d::Store& store, const LaunchedProcess& process, Milliseconds timeout) {
  const auto key = [](int rank) { return fmt::format("here-{}", rank); };
  const auto begin = std::chrono::steady_clock::now();
  try {
    store.set(key(process.index), std::vector<std::uint8_t>{1});
    for (int rank = 0; rank < process.count; ++rank) {
      const auto left = timeout - std::chrono::duration_cast<Milliseconds>(
                                      std::chrono::steady_clock::now() - begin);
      store.wait({key(rank)}, std::max(left, Milliseconds(1)));
    }
  } catch (const std::exception&) {
    std::string missing;
    for (int rank = 0; rank < process.count; ++rank) {
      bool is_there = false;
      try {
        is_there = store.check({key(rank)});
      } catch (const std::exception&) {  // worker 0 has ended
      }
      if (!is_there) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", rank);
    }
    throw TryAgain(fmt::format("--workers: of {} workers these did not come within {} s: {}",
                               process.count, timeout.count() / 1000, missing));
  }
}

/// The network interface to use; empty: not said.
std::string named_interface() {
  const char* const name = std::getenv("GLOO_SOCKET_IFNAME");
  return name == nullptr ? "" : name;
}

/// @throws InputError where this host has no such interface
void check_interface(const std::string& name) {
  if (name.empty() || if_nametoindex(name.c_str()) != 0) return;
  std::string known;
  struct if_nameindex* const all = if_nameindex();
  for (const struct if_nameindex* one = all; one != nullptr && one->if_index != 0; ++one)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one->if_name);
  if_freenameindex(all);
  throw InputError(fmt::format(
      "GLOO_SOCKET_IFNAME={}: expected a network interface of this host: {}", name, known));
}

std::shared_ptr<gloo::transport::Device> device_for(const Meeting& meeting) {
  if (const std::string name = named_interface(); !name.empty())
    return c10d::ProcessGroupGloo::createDeviceForInterface(name);
  if (meeting.folder.empty())
    if (const std::string own = own_address(meeting.host, meeting.port); !own.empty())
      return c10d::ProcessGroupGloo::createDeviceForHostname(own);
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

class GlooWorkers : public Workers {
 public:
  GlooWorkers(const LaunchedProcess& process, const Meeting& meeting, Milliseconds timeout)
      : process_(process), timeout_(timeout), store_(open_store(process, meeting, timeout)) {
    wait_for_all(*store_, process, timeout);
    try {
      auto options = c10d::ProcessGroupGloo::Options::create(timeout);
      options->devices.push_back(device_for(meeting));
      group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store_, process.index, process.count,
                                                           options);
    } catch (const std::exception& error) {
      throw TryAgain(
          fmt::format("--workers: worker {} could not connect to the others: {}; "
                      "GLOO_SOCKET_IFNAME names the network interface to use",
                      process.index, reason(error)));
    }
  }

  int rank() const override { return process_.index; }
  int count() const override { return process_.count; }

 private:
  void swap(int other, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
    try {
      std::vector<at::Tensor> sent = {tensor_of(const_cast<std::byte*>(mine.data()), mine.size())};
      std::vector<at::Tensor> taken = {tensor_of(theirs.data(), theirs.size())};
      const auto receiving = group_->recv(taken, other, 0);
      const auto sending = group_->send(sent, other, 0);
      receiving->wait(timeout_);
      sending->wait(timeout_);
    } catch (const std::exception& error) {
      throw no_answer(rank(), count(), other, std::chrono::duration<double>(timeout_).count(),
                      reason(error));
    }
  }

  static at::Tensor tensor_of(std::byte* bytes, std::size_t size) {
    return at::from_blob(bytes, {static_cast<std::int64_t>(size)}, at::kByte);
  }

  LaunchedProcess process_;
  Milliseconds timeout_;
  StorePointer store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

}  // namespace

std::unique_ptr<Workers> connect_workers(const LaunchedProcess& process, const Meeting& meeting,
                                         double seconds) {
  check_interface(named_interface());
  return std::make_unique<GlooWorkers>(process, meeting,
                                       Milliseconds(static_cast<std::int64_t>(1000 * seconds)));
}

}  // namespace outrider::train
