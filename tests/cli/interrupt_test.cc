#include "runtime/cli/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>

namespace outrider {
namespace {

TEST(Interrupt, TheFirstSignalSetsAFlagThatCanBeCleared) {
  catch_interrupts();
  EXPECT_FALSE(interrupted());
  std::raise(SIGINT);
  EXPECT_TRUE(interrupted());
  reset_interrupt();
  EXPECT_FALSE(interrupted());
  std::raise(SIGTERM);
  EXPECT_TRUE(interrupted());
  reset_interrupt();
}

TEST(Interrupt, AHangUpIsOneUnlessTheProgramWasStartedToOutliveIt) {
  const auto before = std::signal(SIGHUP, SIG_IGN);  // as nohup does
  catch_interrupts();
  std::raise(SIGHUP);
  EXPECT_FALSE(interrupted());
  std::signal(SIGHUP, SIG_DFL);
  catch_interrupts();
  std::raise(SIGHUP);
  EXPECT_TRUE(interrupted());
  std::signal(SIGHUP, before);
  reset_interrupt();
}

TEST(Deadline, InterruptsWhileItLives) {
  {
    const Deadline later(1000);
    EXPECT_FALSE(interrupted());
    EXPECT_FALSE(later.is_over());
    EXPECT_NEAR(later.seconds_left(), 1000, 10);
    {
      const Deadline now(0);
      EXPECT_TRUE(interrupted());
      EXPECT_FALSE(signalled());
      EXPECT_EQ(now.seconds_left(), 0);
    }
    EXPECT_FALSE(interrupted());
  }
  EXPECT_FALSE(interrupted());
}

TEST(Deadline, WithinAnotherIsNotLater) {
  const Deadline now(0), later(1000);
  EXPECT_TRUE(later.is_over());
  EXPECT_TRUE(interrupted());
}

TEST(Deadline, MayBeNever) {
  const Deadline never(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(interrupted());
  EXPECT_GT(never.seconds_left(), 1e8);
}

TEST(InterruptDeathTest, TheSecondSignalKills) {
  const auto twice = [] {
    catch_interrupts();
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(twice(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace outrider
