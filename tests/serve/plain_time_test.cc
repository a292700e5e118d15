// What the server says of the time that plain decoding would have taken.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/artifacts/cost_group.h"
#include "tests/serve/serving.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

/// As if `calibrate cost` had been there: each row and each sequence beyond the first costs a tenth of a pass more.
void write_costs(test::CalibratedTarget& calibrated) {
  const engine::Engine& engine = calibrated.target().engine();
  cost::MachineCost made;
  made.machine = engine.place().name;
  made.numerics = engine.numerics_name();
  made.isa = engine.place().unit;
  cost::ThreadsCost& cost = made.passes.emplace_back();
  cost.threads = 1;
  const auto add = [&](const cost::PassPoint& point) {
    const double seconds = 1 + 0.1 * (point.rows - 1) + 0.1 * (point.sequences - 1);
    cost.passes.push_back({point, false, {seconds, seconds, seconds}});
  };
  for (const auto shape : {cost::Shape::kChain, cost::Shape::kTree})
    for (const int rows : {1, 8, 16}) add({shape, rows, 10});
  add({cost::Shape::kChain, 8, 10, 8});
  calibrated.write(artifacts::cost_group(made.machine),
                   [&](hdf5::Writer& file, const std::string& group) {
                     artifacts::write_cost(made, file, group);
                   });
}

TEST(PlainTime, IsATextsPartOfAsManyByTheCostsOfTheArtifactsGiven) {
  test::CalibratedTarget calibrated;
  write_costs(calibrated);
  const test::Serving serving(
      [&](serve::ServerOptions& options) { options.scheduler.artifacts = calibrated.artifacts(); });
  json body = {{"max_tokens", 24},
               {"temperature", 0},
               {"speculation", false},
               {"logit_bias", {{"2", -1000}}}};
  const json alone = serving.chat("abcabcabc", body).json()["outrider"]["texts"][0];
  EXPECT_EQ(alone["texts_per_pass"], 1);
  EXPECT_NEAR(alone["plain_ms"], 23'000, 1e-6) << "passes of a second";
  body["n"] = 4;
  const json beside = serving.chat("abcabcabc", body).json()["outrider"]["texts"][0];
  EXPECT_GT(beside["texts_per_pass"], 3.5);
  EXPECT_LE(beside["texts_per_pass"], 4);
  EXPECT_NEAR(beside["plain_ms"], 23'000 * 1.6 / 4, 1e-6)
      << "a quarter of four rows of four sequences";
}

}  // namespace
}  // namespace outrider::serve
