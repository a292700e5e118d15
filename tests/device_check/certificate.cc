#include "runtime/certify/certificate.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/stopwatch.h"
#include "runtime/certify/certificate_case.h"
#include "tests/device_check/check.h"
#include "tests/device_check/random_model.h"
#include "tests/support/golden_models.h"

namespace outrider::device_check {
namespace {

struct Limits {
  int context;
  int rows;
  int cases;
  double seconds;
};

struct Totals {
  std::int64_t cases = 0;
  std::int64_t rows = 0;
  std::int64_t passes = 0;
  int models = 0;
};

/// One model, on the processor and on the device: a variant of the processor's engine is made of the device's.
void certify_model(Check& check, const std::string& name, const model::Model& model,
                   const engine::EngineOptions& options, std::uint64_t seed, const Limits& limits,
                   Totals& totals) {
  engine::EngineOptions processor = options;
  processor.device.kind = engine::DeviceChoice::Kind::kCpu;
  const auto expected = engine::make_engine(model, processor);
  const auto found = check.engine(model, options);
  certify::CertifyOptions certified;
  certified.variants = {{"cuda", [&](int workers) { return found->with_workers(workers); }}};
  certified.threads = {1, 2};  // products whole, and divided among warps
  certified.max_context = limits.context;
  certified.max_rows = limits.rows;
  certified.seed = seed;
  const Stopwatch clock;
  const certify::Certificate certificate =
      certify::certify(*expected, certified, [&](const certify::Certificate& so_far) {
        return so_far.cases < limits.cases && clock.seconds() < limits.seconds;
      });
  const certify::CertifyCounts& counts = certificate.counts.front();
  Json& json = check.found["certificate"];
  json.push_back(
      {{"model", name},
       {"numerics", expected->numerics_name()},
       {"seed", seed},
       {"cases", certificate.cases},
       {"passes", counts.passes},
       {"rows", counts.rows},
       {"longest_context", counts.longest_context},
       {"difference", certificate.difference ? Json(*certificate.difference) : Json(nullptr)}});
  totals.cases += certificate.cases;
  totals.rows += counts.rows;
  totals.passes += counts.passes;
  ++totals.models;
  if (certificate.difference) {
    check.fail(fmt::format("certificate of {}: {}", name, *certificate.difference));
  } else if (counts.rows == 0) {
    check.fail(
        fmt::format("certificate of {}: no row was compared in {:.0f} s", name, clock.seconds()));
  }
}

/// A seed whose first two cases have a few sequences each, and long texts in the second: what one core decodes one by
/// one in seconds.
std::uint64_t seed_of_few_sequences(const Limits& limits, int vocab) {
  for (std::uint64_t seed = 1;; ++seed) {
    certify::Random random(seed);
    const auto first =
        certify::random_case(random, {std::min(limits.context, 300), limits.rows}, vocab);
    const auto second = certify::random_case(random, {limits.context, limits.rows}, vocab);
    if (first.size() <= 3 && second.size() <= 3 &&
        second.front().text_size() > limits.context * 3 / 4)
      return seed;
  }
}

}  // namespace

void check_certificate(Check& check) {
  const bool tiny = check.settings.tiny;
  const double seconds = 60 * check.settings.minutes;
  Totals totals;
  const Stopwatch clock;
  // Contexts beyond one split of attention; a sanitizer is given none.
  const Limits limits = tiny ? Limits{20, 6, 1, 60} : Limits{700, 48, 1000, 0.06 * seconds / 10};
  auto models = test::golden_models();
  const auto more = test::golden_models_of_long_texts();  // some with windows
  models.insert(models.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (tiny && i % 4 != 0) continue;
    const auto bytes = models[i].bytes();
    const model::Model model = models[i].parsed(bytes);
    certify_model(check, models[i].name(), model,
                  {.quantise = models[i].quantise, .kv = models[i].kv}, 1 + i, limits, totals);
  }
  const ModelShape shape = tiny ? tiny_shape() : shape_of_135m();
  const Limits large = tiny ? Limits{12, 4, 1, 60} : Limits{700, 32, 2, 0.15 * seconds};
  certify_model(check, shape.name, random_model(shape, 2), {},
                seed_of_few_sequences(large, shape.vocab), large, totals);
  Check::say(fmt::format(
      "certificate: {} models, {} cases, {} passes, {} rows against the processor's, in {:.0f} s",
      totals.models, totals.cases, totals.passes, totals.rows, clock.seconds()));
}

}  // namespace outrider::device_check
