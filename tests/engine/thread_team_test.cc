#include "runtime/engine/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/threads_of_process.h"
#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

using outrider::test::threads_of_process;

// Hangs where threads are not woken. It does not find the weaker store of AwaitedCount::advance: that took 60 million
// turns and more to lose one wake-up.
TEST(AwaitedCount, WakesThreadsThatSleep) {
  AwaitedCount ping(0), pong(0);
  constexpr std::uint32_t kTurns = 300'000;
  std::thread other([&] {
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      ping.wait_while(turn);
      pong.advance();
    }
  });
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    ping.advance();
    pong.wait_while(turn);
  }
  other.join();
  EXPECT_EQ(pong.value(), kTurns);
}

TEST(ThreadTeam, SleepsAtBarriersAndWakesUp) {
  // More threads than cores, so that many sleep at each barrier.
  constexpr int kThreads = 5, kBarriers = 2000;
  ThreadTeam team(kThreads);
  std::vector<int> passed(kThreads);
  std::atomic<int> behind{0};
  team.run([&](int thread) {
    for (int i = 0; i < kBarriers; ++i) {
      passed[static_cast<std::size_t>(thread)] = i;
      team.barrier();
      for (const int other : passed) behind += other != i;
      team.barrier();
    }
  });
  EXPECT_EQ(behind, 0);
}

TEST(ThreadTeam, RefusesACallInsideACall) {
  ThreadTeam team(2);
  std::atomic<int> refused{0};
  team.run([&](int) {
    try {
      team.run([](int) {});
    } catch (const std::logic_error&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2);
  std::atomic<int> calls{0};
  team.run([&](int) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(ThreadTeam, IsSharedByAnEngineBeside) {
  const outrider::test::TinyEngine first(model::WeightType::kQ4_1, 1, 3);
  const auto before = threads_of_process();
  const auto second = first.engine.beside(first.model, {});
  EXPECT_EQ(second->workers(), 3);
  EXPECT_EQ(second->place(), first.engine.place());
  EXPECT_EQ(first.engine.beside(first.model, {.threads = 3})->workers(), 3);
  EXPECT_EQ(first.engine.beside(first.model, {.threads = 1})->workers(), 1);
  EXPECT_EQ(threads_of_process(), before);
  EXPECT_THROW((void)first.engine.beside(first.model, {.threads = 2}), std::logic_error);
  const auto apart = first.engine.with_workers(3);
  EXPECT_EQ(threads_of_process(), before + 2);
}

TEST(ThreadTeam, HasTheInstructionSetOfTheEngineBesideUnlessGiven) {
  const outrider::test::TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  const auto scalar = tiny.engine.variant("scalar").make(1);
  EXPECT_EQ(scalar->beside(tiny.model, {})->place().unit, "scalar");
  EXPECT_EQ(tiny.engine.beside(tiny.model, {.isa = Isa::kScalar})->place().unit, "scalar");
}

TEST(ThreadTeam, OutlivesTheEngineThatMadeIt) {
  const auto bytes =
      outrider::test::tiny_llama_gguf({.head_width = 32}, 2, model::WeightType::kF32);
  const model::Model model = model::parse_model(bytes, "tiny");
  auto first = make_engine(model, {.threads = 2});
  const auto second = first->beside(model, {});
  first.reset();
  const auto cache = second->make_cache(4);
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, std::vector<Token>{1, 2, 3}, true);
  second->forward(pass);
  EXPECT_EQ(pass.logits_of(2).size(), static_cast<std::size_t>(model.config.vocab));
}

}  // namespace
}  // namespace outrider::engine
