#pragma once

#include <cstddef>

#include "runtime/jinja/fault.h"

namespace outrider::jinja {

/// The most that one rendering may use. Templates come with models from strangers.
struct Limits {
  std::size_t steps = 20'000'000;               // expressions evaluated and elements visited
  std::size_t bytes = std::size_t{1} << 30;     // of all strings made
  std::size_t output = std::size_t{256} << 20;  // bytes
  int depth = 800;                              // of calls and expressions inside each other
};

/// What is left of the limits of a rendering.
class Budget {
 public:
  explicit Budget(const Limits& limits) : left_(limits) {}

  /// @throws Fault when too much was done
  void step(std::size_t count = 1) {
    if (count > left_.steps) throw Fault("the template takes too many steps");
    left_.steps -= count;
  }
  /// @throws Fault when the strings made are too long, before the next is made
  void make(std::size_t bytes) {
    if (bytes > left_.bytes) throw Fault("the template makes too much text");
    left_.bytes -= bytes;
  }
  /// @throws Fault when the output gets too long
  void write(std::size_t bytes) {
    if (bytes > left_.output) throw Fault("the template's output is too long");
    left_.output -= bytes;
  }

  /// One level of nesting, while it lives.
  class Level {
   public:
    explicit Level(Budget& budget) : budget_(budget) {
      if (budget_.left_.depth == 0) throw Fault("the template's calls are nested too deep");
      --budget_.left_.depth;
    }
    ~Level() { ++budget_.left_.depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Budget& budget_;
  };

 private:
  Limits left_;
};

}  // namespace outrider::jinja
