#include "runtime/cli/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

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
