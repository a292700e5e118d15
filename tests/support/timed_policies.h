#pragma once

#include <string>
#include <vector>

#include "data/study/stop_study.h"

namespace outrider::test {

/// A policy that took so many seconds for one token of each text.
inline study::StopCell timed_policy(const std::string& name, const std::vector<double>& seconds) {
  study::StopCell cell = {.name = name, .settings = ""};
  for (const double one : seconds) cell.add({.tokens = 1, .seconds = one});
  return cell;
}

/// Two texts, decoded with every policy: with static-5 in 16 seconds, with the oracle in 8.
inline study::StopStudy timed_study() {
  study::StopStudy study;
  study.verify = "coupled";
  study.prompts = 2;
  study.cells = {timed_policy("target", {10, 10}),     timed_policy("static-5", {8, 8}),
                 timed_policy("static-opt", {7, 9.5}), timed_policy("heuristic", {9, 9}),
                 timed_policy("disco", {6, 8}),        timed_policy("oracle", {4, 4})};
  return study;
}

}  // namespace outrider::test
