#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/source_path.h"
#include "train/reference/reference_model.h"

namespace outrider::train {
namespace {

constexpr int kFormat = 1;

// Tolerances between two float32 implementations: log-probabilities of likely tokens, and the margin
// above which the best token must be the same.
constexpr double kGoldenLogProb = 2e-3;
constexpr double kGoldenMargin = 2e-3;
constexpr double kGoldenLikely = 1e-4;

TEST(ReferenceModel, GivesTheLogitsOfTransformers) {
  if (!std::filesystem::exists(test::default_model()))
    GTEST_SKIP() << test::default_model() << " is absent; scripts/setup downloads it";
  const model::Model model = model::load_model(test::default_model());
  const ReferenceModel reference(model, at::kFloat);
  std::ifstream file(test::source_path("tests/golden/logits.json"));
  const auto golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden["format"], kFormat) << "make the file anew with tests/golden/make_logits.py";
  ASSERT_GE(golden["texts"].size(), 12u);
  int likely = 0;
  for (const auto& text : golden["texts"]) {
    const std::vector<Token> tokens = text["tokens"];
    const at::Tensor logits = reference.forward(text_rows(tokens)).logits.to(at::kDouble);
    const at::Tensor totals = logits.logsumexp(-1);
    const at::Tensor best = logits.argmax(-1);
    for (std::int64_t i = 0; i < std::ssize(tokens); ++i) {
      const std::size_t row = static_cast<std::size_t>(i);
      const std::vector<std::int64_t> ids = text["best"][row];
      const std::vector<double> log_probs = text["log_probs"][row];
      EXPECT_NEAR(totals[i].item<double>(), text["log_sum_exp"][row].get<double>(), kGoldenLogProb);
      if (log_probs[0] - log_probs[1] > kGoldenMargin) {
        EXPECT_EQ(best[i].item<std::int64_t>(), ids[0]);
      }
      for (std::size_t n = 0; n < ids.size() && log_probs[n] > std::log(kGoldenLikely);
           ++n, ++likely)
        EXPECT_NEAR((logits[i][ids[n]] - totals[i]).item<double>(), log_probs[n], kGoldenLogProb);
    }
  }
  EXPECT_GE(likely, 5000);
}

}  // namespace
}  // namespace outrider::train
