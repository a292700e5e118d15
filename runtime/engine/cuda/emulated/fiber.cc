#include "runtime/engine/cuda/emulated/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

// Sources of this folder are compiled without -fsanitize=thread even where all others are compiled with it, since their
// own variables are ordered by the switches that the sanitizer is not told to order: so a definition says it.
#if defined(OUTRIDER_RACES)
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* tag);
void __tsan_release(void* tag);
}
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OUTRIDER_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define OUTRIDER_ADDRESS_SANITIZER
#endif
#if defined(OUTRIDER_ADDRESS_SANITIZER)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
void __asan_unpoison_memory_region(const void* memory, std::size_t size);
}
#endif

// Saves the registers that a call keeps, and takes up those that were saved on the other stack.
extern "C" void outrider_switch_stack(void** save, void* to);
asm(R"(
.text
.globl outrider_switch_stack
.hidden outrider_switch_stack
.type outrider_switch_stack, @function
outrider_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size outrider_switch_stack, .-outrider_switch_stack
)");

namespace outrider::engine::cuda::emulated {
namespace {

// Sanitized kernels without optimisation need the most. Pages that are not touched cost nothing.
constexpr std::size_t kStackBytes = 256 << 10;
constexpr std::size_t kGuardBytes = 4096;  // below the stack: too deep a recursion ends there

constinit thread_local Fiber* g_running = nullptr;
constinit thread_local Fiber* g_before = nullptr;  // what ran before the last switch

}  // namespace

Fiber::~Fiber() {
#if defined(OUTRIDER_RACES)
  if (stack_ != nullptr && as_thread_ != nullptr) __tsan_destroy_fiber(as_thread_);
#endif
  if (stack_ == nullptr) return;
#if defined(OUTRIDER_ADDRESS_SANITIZER)
  // Frames that never returned have left their marks, and what is mapped here next is not theirs.
  __asan_unpoison_memory_region(stack_, kStackBytes);
#endif
  munmap(stack_ - kGuardBytes, kStackBytes + kGuardBytes);
}

void Fiber::begin(void (*run)()) {
  if (stack_ == nullptr) {
    void* memory = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0)
      throw std::bad_alloc();
    stack_ = static_cast<unsigned char*>(memory) + kGuardBytes;
    bottom_ = stack_;
    size_ = kStackBytes;
  }
#if defined(OUTRIDER_ADDRESS_SANITIZER)
  // Frames that never returned have left their marks: all of a thread that was given up, the last ones of one that has ended.
  constexpr std::size_t kLastFrames = 8 << 10;
  const std::size_t marked = running_ ? kStackBytes : kLastFrames;
  __asan_unpoison_memory_region(stack_ + kStackBytes - marked, marked);
#endif
#if defined(OUTRIDER_RACES)
  if (running_ && as_thread_ != nullptr) {
    __tsan_destroy_fiber(as_thread_);
    as_thread_ = nullptr;
  }
  if (as_thread_ == nullptr) as_thread_ = __tsan_create_fiber(0);
#endif
  run_ = run;
  running_ = true;
  fake_stack_ = nullptr;
  // What outrider_switch_stack takes up: six registers, the address that it returns to, and what `enter` would return to.
  void** top = reinterpret_cast<void**>(stack_ + kStackBytes);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&Fiber::enter);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  stack_pointer_ = top;
}

void Fiber::switch_to(Fiber& from, Fiber& to, bool ends) {
  if (ends) from.running_ = false;
#if defined(OUTRIDER_RACES)
  if (from.stack_ == nullptr) from.as_thread_ = __tsan_get_current_fiber();
#endif
#if defined(OUTRIDER_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(ends ? nullptr : &from.fake_stack_, to.bottom_, to.size_);
#endif
#if defined(OUTRIDER_RACES)
  __tsan_switch_to_fiber(to.as_thread_, 1);  // 1: orders nothing
#endif
  g_before = &from;
  g_running = &to;
  outrider_switch_stack(&from.stack_pointer_, to.stack_pointer_);
  from.arrived();
}

/// The first that happens on a stack after a switch to it.
void Fiber::arrived() {
#if defined(OUTRIDER_ADDRESS_SANITIZER)
  // Where the OS thread's own stack lies is known only from here.
  __sanitizer_finish_switch_fiber(fake_stack_, &g_before->bottom_, &g_before->size_);
#endif
}

void Fiber::enter() {
  g_running->arrived();
  g_running->run_();
  std::abort();
}

#if defined(OUTRIDER_RACES)
void Fiber::publish(void* tag) {
  void* const here = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(as_thread_, 1);
  __tsan_release(tag);
  __tsan_switch_to_fiber(here, 1);
}
void publish(void* tag) { __tsan_release(tag); }
void see(void* tag) { __tsan_acquire(tag); }
#else
void Fiber::publish(void*) {}
void publish(void*) {}
void see(void*) {}
#endif

}  // namespace outrider::engine::cuda::emulated
