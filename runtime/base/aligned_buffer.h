#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace outrider {

/// Huge pages spare the processor looking up where a page lies, for what is read whole every pass;
/// ordinary ones cost nothing until each is touched.
enum class Pages : std::uint8_t { kOrdinary, kHuge };

/// A block of `T` aligned to a cache line, left uninitialised.
template <typename T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t count, Pages pages = Pages::kOrdinary) : count_(count) {
    const std::size_t alignment = pages == Pages::kHuge ? kHugePage : kCacheLine;
    const std::size_t bytes =
        (count * sizeof(T) + alignment - 1) / alignment * alignment + (count == 0 ? alignment : 0);
    const std::align_val_t aligned{alignment};
    data_ = {static_cast<T*>(::operator new(bytes, aligned)), {aligned}};
    // Where the system has none to give, ordinary ones do as well. The end has ordinary ones, since the rest of a huge page
    // would be memory that nobody counts.
    const std::size_t whole = count * sizeof(T) / kHugePage * kHugePage;
    if (pages == Pages::kHuge && whole > 0) madvise(data_.get(), whole, MADV_HUGEPAGE);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  struct Free {
    std::align_val_t aligned{kCacheLine};
    void operator()(T* p) const { ::operator delete(p, aligned); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t count_ = 0;
};

}  // namespace outrider
