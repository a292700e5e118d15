#include "runtime/engine/cuda/emulated/fiber.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace outrider::engine::cuda::emulated {
namespace {

constexpr std::size_t kPage = 4096;

Fiber* g_main = nullptr;
Fiber* g_begun = nullptr;
std::uintptr_t g_frame = 0;

/// Keeps its address, and so leaves the marks of a sanitizer around it, and never returns.
void leaves_a_frame() {
  volatile char frame[64] = {};
  g_frame = reinterpret_cast<std::uintptr_t>(&frame);
  frame[0] = 1;
  Fiber::switch_to(*g_begun, *g_main, true);
}

TEST(Fiber, WhatIsMappedWhereAStackLayCanBeRead) {
  Fiber main;
  auto fiber = std::make_unique<Fiber>();
  g_main = &main;
  g_begun = fiber.get();
  fiber->begin(leaves_a_frame);
  Fiber::switch_to(main, *fiber, false);
  const std::uintptr_t page = g_frame / kPage * kPage;
  fiber.reset();
  void* const wanted = reinterpret_cast<void*>(page);
  void* const mapped =
      ::mmap(wanted, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(mapped, wanted) << "the stack is still there";
  const auto* const bytes = static_cast<const std::byte*>(mapped);
  for (std::size_t i = 0; i < kPage; ++i) ASSERT_EQ(bytes[i], std::byte{0});
  ::munmap(mapped, kPage);
}

}  // namespace
}  // namespace outrider::engine::cuda::emulated
