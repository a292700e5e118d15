#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace outrider::engine::cuda {

/// The queue in which a device's work runs in order: what LAUNCH takes. A value of CUDA's or of the emulation's own.
struct Stream {
  void* handle = nullptr;
};

/// Launches and copies that were recorded once and run again together, with the arguments that they had.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// A GPU, or its emulation. It has one stream: copies, fills, launches and replays run in the order in which they were
/// asked for, after the call has returned, and only `synchronise` waits for them.
class Device {
 public:
  virtual ~Device() = default;

  /// As its maker names it: "NVIDIA H100 80GB HBM3".
  virtual std::string name() const = 0;
  /// The compute capability: "9.0"; "emulated" for the emulation.
  virtual std::string capability() const = 0;
  /// A product with few panels for them is divided more finely.
  virtual int multiprocessors() const = 0;

  /// Shared memory that a launch may ask for a block.
  virtual int shared_bytes_of_block() const = 0;

  struct Memory {
    std::int64_t free_bytes;
    std::int64_t total_bytes;
  };
  virtual Memory memory() const = 0;

  /// Memory of the device, aligned to 256 bytes, with undefined content. Prefer DeviceBuffer.
  /// @throws InputError where the device has not so much left, with both figures
  virtual void* allocate(std::size_t bytes) = 0;
  /// Waits for all work before.
  virtual void free(void* memory) noexcept = 0;
  /// Memory of the host that the device reads and writes beside other work: copies from and to any other memory of the
  /// host make the caller wait. A kernel may write there too, which is slow. Prefer HostBuffer.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void free_host(void* memory) noexcept = 0;

  /// The host's bytes must stay as they are until `synchronise`.
  virtual void copy_to(void* device, const void* host, std::size_t bytes) = 0;
  /// The host's bytes are undefined until `synchronise`.
  virtual void copy_from(void* host, const void* device, std::size_t bytes) = 0;
  /// From one place of the device to another that does not overlap it.
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill(void* device, std::uint8_t byte, std::size_t bytes) = 0;

  /// Returns when everything that was asked for is done.
  /// @throws std::runtime_error if a kernel has failed
  virtual void synchronise() = 0;

  virtual Stream stream() const = 0;
  /// From here to `end_capture` work is recorded and not done; nothing may be allocated, freed or waited for.
  virtual void begin_capture() = 0;
  virtual std::unique_ptr<Graph> end_capture() = 0;
  /// Does the recorded work. The graph, and all memory that it names, must live until that is done.
  virtual void replay(const Graph& graph) = 0;
};

/// An array of T in a device's memory, freed with it. The device must outlive it.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device& device, std::size_t size)
      : device_(&device),
        data_(size == 0 ? nullptr : static_cast<T*>(device.allocate(size * sizeof(T)))),
        size_(size) {}
  /// Copies the values, which must stay as they are until the device has been waited for.
  DeviceBuffer(Device& device, std::span<const T> values) : DeviceBuffer(device, values.size()) {
    copy_to(values);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) device_->free(data_);
  }

  /// An address of the device: the host must not read there.
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// @throws std::logic_error for more than there is room for; so do the others
  void copy_to(std::span<const T> from, std::size_t at = 0) {
    check(from.size(), at);
    if (!from.empty()) device_->copy_to(data_ + at, from.data(), from.size_bytes());
  }
  void copy_from(std::span<T> to, std::size_t at = 0) const {
    check(to.size(), at);
    if (!to.empty()) device_->copy_from(to.data(), data_ + at, to.size_bytes());
  }
  /// Every byte is set.
  void fill(std::uint8_t byte) {
    if (size_ > 0) device_->fill(data_, byte, size_ * sizeof(T));
  }

 private:
  void check(std::size_t count, std::size_t at) const {
    if (at > size_ || count > size_ - at)
      throw std::logic_error("DeviceBuffer: expected at most " + std::to_string(size_) +
                             " elements, found " + std::to_string(count) + " at " +
                             std::to_string(at));
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An array of T in the host's memory that a device copies from and to beside other work.
template <typename T>
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(Device& device, std::size_t size)
      : device_(&device),
        data_(size == 0 ? nullptr : static_cast<T*>(device.allocate_host(size * sizeof(T)))),
        size_(size) {}
  HostBuffer(HostBuffer&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~HostBuffer() {
    if (data_ != nullptr) device_->free_host(data_);
  }

  std::span<T> span() const { return {data_, size_}; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace outrider::engine::cuda
