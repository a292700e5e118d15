#include <fmt/core.h>

#include "runtime/certify/certificate.h"
#include "tests/device_check/check.h"
#include "tests/device_check/golden_json.h"  // made of tests/golden/engine_bits.json
#include "tests/support/golden_models.h"

namespace outrider::device_check {

void check_golden_bits(Check& check) {
  const auto golden = nlohmann::json::parse(kGoldenBits)["tiny"];
  Json& found = check.found["golden"];
  int equal = 0, all = 0;
  auto models = test::golden_models();
  const auto long_texts = test::golden_models_of_long_texts();
  models.insert(models.end(), long_texts.begin(), long_texts.end());
  for (std::size_t i = 0; i < models.size(); ++i) {
    const test::GoldenModel& tiny = models[i];
    // A sanitizer, and the emulation, whose own tests try all of them, would take minutes.
    if (check.settings.tiny && tiny.tokens > test::GoldenModel::kShort) continue;
    if (check.settings.emulated && i % 5 != 0) continue;
    const auto bytes = tiny.bytes();
    const model::Model model = tiny.parsed(bytes);
    const auto engine = check.engine(model, {.quantise = tiny.quantise, .kv = tiny.kv});
    // Whole, and with the work of a product divided among warps.
    for (const int workers : {1, 2}) {
      const std::string hash = fmt::format(
          "{:016x}", certify::hash_of_fixed_text(*engine->with_workers(workers), tiny.tokens));
      const bool same = hash == golden.value(tiny.name(), "none");
      ++all;
      equal += same ? 1 : 0;
      found[tiny.name()] = hash;
      if (!same)
        check.fail(fmt::format("golden bits of {}, workers {}: expected {}, found {}", tiny.name(),
                               workers, golden.value(tiny.name(), "none"), hash));
    }
  }
  found["equal"] = equal;
  Check::say(fmt::format("golden bits: {} of {} equal", equal, all));
}

}  // namespace outrider::device_check
