#pragma once

#include <cstddef>

namespace outrider::engine::cuda::emulated {

/// A stack of its own, on which a function runs until it hands the OS thread to another fiber. The address sanitizer
/// and the thread sanitizer are told of every switch: for the latter a fiber is a thread, and switches order nothing.
class Fiber {
 public:
  /// What runs on the stack that the OS thread has already.
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// From the next switch to it on, `run` runs on its own stack. It must not return, but end with a switch whose
  /// `ends` is true. A fiber that has not ended is given up as it is: nothing on its stack is destroyed.
  void begin(void (*run)());

  /// Goes on with `to`; returns when something switches to `from`, which is what runs now.
  /// @param ends  `from` is never switched to again before its next `begin`
  static void switch_to(Fiber& from, Fiber& to, bool ends);

  /// As the function below, for all that this fiber has written, though another runs now.
  void publish(void* tag);

 private:
  static void enter();
  void arrived();

  void* stack_pointer_ = nullptr;
  unsigned char* stack_ = nullptr;  // null: the OS thread's own
  void (*run_)() = nullptr;
  bool running_ = false;  // begun, and not ended
  // For the sanitizers.
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  void* fake_stack_ = nullptr;
  [[maybe_unused]] void* as_thread_ = nullptr;
};

/// For the thread sanitizer: whoever calls `see` after `publish` of the same tag sees all that was written before it.
/// A tag is any address.
void publish(void* tag);
void see(void* tag);

}  // namespace outrider::engine::cuda::emulated
