#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "runtime/certify/certificate.h"
#include "runtime/draft/parallelspec/medusa_heads_passes.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::certify {
namespace {

/// Three heads of a tiny target, quantised as served.
struct HeadsOfTiny {
  std::vector<std::byte> bytes =
      test::tiny_llama_gguf({.head_width = 32}, 3, model::WeightType::kQ8_0);
  model::Model target = model::parse_model(bytes, "tiny");
  std::shared_ptr<const draft::ParallelSpecModel> model =
      std::make_shared<const draft::ParallelSpecModel>(test::tiny_parallelspec(
          target, {.flavour = draft::ParallelSpecModel::Flavour::kMedusaHeads}, 5));
};

// A model without layers is row-pure like any other.
TEST(MedusaHeads, HaveAHeadThatIsCertified) {
  const HeadsOfTiny heads;
  const auto engine = engine::make_engine(heads.model->layer, {.threads = 2});
  CertifyOptions options;
  options.max_context = 60;
  const Certificate certificate =
      certify(*engine, options, [](const Certificate& c) { return c.cases < 3; });
  EXPECT_EQ(certificate.difference.value_or("none"), "none");
  for (const CertifyCounts& counts : certificate.counts) EXPECT_GT(counts.logits_rows, 0);
}

// The logits of a head do not depend on what else is drafted, before or with it, nor on threads and instructions.
TEST(MedusaHeads, GiveTheSameBitsWhateverElseIsDrafted) {
  const HeadsOfTiny heads;
  const auto residual = engine::make_engine(heads.model->residual, {.threads = 1});
  const auto head = engine::make_engine(heads.model->layer, {.threads = 1});
  std::vector<std::vector<float>> states;
  for (const Token token : {5, 90, 33}) {
    states.emplace_back(64);
    head->embed(token, states.back());
  }
  const auto passes = [&](const engine::Variant& of_residual, const engine::Variant& of_head,
                          int threads) {
    return draft::MedusaHeadsPasses(heads.model, of_residual.make(threads), of_head.make(threads));
  };
  std::vector<std::vector<float>> expected;  // of every state, all heads
  const auto of_residual = residual->variants(), of_head = head->variants();
  for (const std::vector<float>& state : states) {
    draft::MedusaHeadsPasses fresh = passes(of_residual.front(), of_head.front(), 1);
    fresh.forward(state, 3);
    for (int i = 0; i < 3; ++i) {
      const std::span<const float> numbers = fresh.logits(i).numbers();
      expected.emplace_back(numbers.begin(), numbers.end());
    }
  }
  for (std::size_t variant = 0; variant < of_head.size(); ++variant) {
    for (const int threads : {1, 2}) {
      draft::MedusaHeadsPasses reused = passes(of_residual[variant], of_head[variant], threads);
      for (const int count : {3, 1, 2}) {
        for (std::size_t state = 0; state < states.size(); ++state) {
          reused.forward(states[state], count);
          for (int i = 0; i < count; ++i) {
            const std::vector<float>& same = expected[3 * state + static_cast<std::size_t>(i)];
            const std::span<const float> found = reused.logits(i).numbers();
            ASSERT_EQ(found.size(), same.size());
            EXPECT_EQ(std::memcmp(found.data(), same.data(), found.size_bytes()), 0)
                << of_head[variant].name << ", head " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace outrider::certify
