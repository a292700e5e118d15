#include "runtime/engine/cuda/emulated/emulated_device.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>

#include "runtime/base/error.h"

namespace outrider::engine::cuda::emulated {
namespace {

constexpr std::align_val_t kAlignment{256};
constexpr int kUndefinedByte = 0xcd;

struct RecordedGraph : Graph {
  std::vector<std::function<void()>> work;
};

class EmulatedDevice : public Device {
 public:
  explicit EmulatedDevice(const Options& options) : queue_(options) {}
  ~EmulatedDevice() override {
    for (const auto& [memory, bytes] : allocated_) ::operator delete(memory, kAlignment);
  }

  std::string name() const override { return "emulated GPU"; }
  std::string capability() const override { return "emulated"; }
  int multiprocessors() const override { return queue_.options().multiprocessors; }
  int shared_bytes_of_block() const override {
    return static_cast<int>(queue_.options().most_shared_bytes);
  }
  Memory memory() const override {
    return {queue_.options().memory_bytes - used_, queue_.options().memory_bytes};
  }

  void* allocate(std::size_t bytes) override {
    not_while_capturing("allocate");
    if (static_cast<std::int64_t>(bytes) > memory().free_bytes)
      throw InputError(fmt::format("{}: expected {} bytes of free memory, found {}", name(), bytes,
                                   memory().free_bytes));
    void* memory = ::operator new(bytes, kAlignment);
    std::memset(memory, kUndefinedByte, bytes);
    allocated_[static_cast<unsigned char*>(memory)] = bytes;
    used_ += static_cast<std::int64_t>(bytes);
    return memory;
  }
  void free(void* memory) noexcept override {
    const auto found = allocated_.find(static_cast<unsigned char*>(memory));
    if (found == allocated_.end()) std::abort();  // freed twice, or not of this device
    used_ -= static_cast<std::int64_t>(found->second);
    allocated_.erase(found);
    ::operator delete(memory, kAlignment);
  }
  void* allocate_host(std::size_t bytes) override { return ::operator new(bytes, kAlignment); }
  void free_host(void* memory) noexcept override { ::operator delete(memory, kAlignment); }

  void copy_to(void* device, const void* host, std::size_t bytes) override {
    check(device, bytes);
    queue_.add([=] { std::memcpy(device, host, bytes); });
  }
  void copy_from(void* host, const void* device, std::size_t bytes) override {
    check(device, bytes);
    queue_.add([=, this] {
      const auto* from = static_cast<const unsigned char*>(device);
      arriving_.push_back({host, {from, from + bytes}});
      std::memset(host, kUndefinedByte, bytes);
    });
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    check(to, bytes);
    check(from, bytes);
    queue_.add([=] { std::memcpy(to, from, bytes); });
  }
  void fill(void* device, std::uint8_t byte, std::size_t bytes) override {
    check(device, bytes);
    queue_.add([=] { std::memset(device, byte, bytes); });
  }

  void synchronise() override {
    not_while_capturing("synchronise");
    for (const Arriving& copy : arriving_)
      std::memcpy(copy.host, copy.bytes.data(), copy.bytes.size());
    arriving_.clear();
  }

  Stream stream() const override { return {const_cast<Queue*>(&queue_)}; }
  void begin_capture() override {
    not_while_capturing("begin_capture");
    queue_.begin_capture();
  }
  std::unique_ptr<Graph> end_capture() override {
    if (!queue_.capturing()) throw std::logic_error("end_capture: nothing is captured");
    auto graph = std::make_unique<RecordedGraph>();
    graph->work = queue_.end_capture();
    return graph;
  }
  void replay(const Graph& graph) override {
    not_while_capturing("replay");
    for (const auto& work : dynamic_cast<const RecordedGraph&>(graph).work) work();
  }

 private:
  /// What copy_from read, on its way to the host.
  struct Arriving {
    void* host;
    std::vector<unsigned char> bytes;
  };

  void not_while_capturing(const char* call) const {
    if (queue_.capturing()) throw std::logic_error(fmt::format("{} while work is captured", call));
  }
  /// That all bytes lie in one allocation.
  void check(const void* memory, std::size_t bytes) const {
    const auto* begin = static_cast<const unsigned char*>(memory);
    auto after = allocated_.upper_bound(const_cast<unsigned char*>(begin));
    const bool inside = after != allocated_.begin() &&
                        begin + bytes <= std::prev(after)->first + std::prev(after)->second;
    if (!inside)
      throw std::logic_error(
          fmt::format("{} bytes to copy or fill are not all in the device's memory", bytes));
  }

  Queue queue_;
  std::map<unsigned char*, std::size_t> allocated_;  // bytes by address
  std::int64_t used_ = 0;
  std::vector<Arriving> arriving_;
};

}  // namespace

std::unique_ptr<Device> make_emulated_device(const Options& options) {
  return std::make_unique<EmulatedDevice>(options);
}

}  // namespace outrider::engine::cuda::emulated
