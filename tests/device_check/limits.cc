#include <fmt/core.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "runtime/base/error.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/sampling/elsewhere_chooser.h"
#include "tests/device_check/check.h"
#include "tests/support/logit_rows.h"
#include "tests/support/tiny_llama.h"

namespace outrider::device_check {
namespace {

constexpr int kRows = 3;

/// What is said when each row of a pass is committed, of which one row's keys, or values, are large. Empty: nothing.
std::vector<std::string> said_by(engine::Engine& engine, int of_large) {
  // The norm makes of a state of zeros keys of zeros.
  const std::vector<float> zeros(static_cast<std::size_t>(engine.config().width), 0.0f);
  std::vector<std::string> said;
  for (int row = 0; row < kRows; ++row) {
    const auto cache = engine.make_cache(8);
    engine::Pass pass;
    pass.sequences = {cache.get()};
    for (int i = 0; i < kRows; ++i)
      pass.rows.push_back({.token = 5 + i, .state = i == of_large ? nullptr : zeros.data()});
    engine.forward(pass);
    said.emplace_back();
    try {
      cache->commit({{row}});
    } catch (const InputError& error) {
      said.back() = error.what();
    }
  }
  return said;
}

/// Runs end at the same row as on the processor, with the same sentence.
void compare_overflows(Check& check) {
  int all = 0, equal = 0, refused = 0;
  for (const char* tensor : {"blk.0.attn_k.weight", "blk.1.attn_v.weight"}) {
    const auto bytes = test::tiny_llama_with_large(tensor);
    const model::Model model = model::parse_model(bytes, "tiny");
    for (const engine::KvType kv :
         {engine::KvType::kF16, engine::KvType::kQ8_0, engine::KvType::kF32}) {
      const auto expected =
          engine::make_engine(model, {.device = {engine::DeviceChoice::Kind::kCpu}, .kv = kv});
      const auto found = check.engine(model, {.kv = kv});
      for (int of_large = 0; of_large < kRows; ++of_large) {
        const auto on_processor = said_by(*expected, of_large), here = said_by(*found, of_large);
        for (std::size_t row = 0; row < on_processor.size(); ++row) {
          ++all;
          equal += here[row] == on_processor[row] ? 1 : 0;
          refused += on_processor[row].empty() ? 0 : 1;
          if (here[row] != on_processor[row])
            check.fail(fmt::format("limits, {}, row {} of {}: expected '{}', found '{}'", tensor,
                                   row, of_large, on_processor[row], here[row]));
        }
      }
    }
  }
  Json& json = check.found["limits"];
  json["rows"] = all;
  json["equal"] = equal;
  json["refused"] = refused;
  Check::say(fmt::format(
      "limits: {} of {} rows end or go on as on the processor, which refuses {} of them", equal,
      all, refused));
}

/// Rows that hold no distribution are refused.
void check_bad_rows(Check& check) {
  constexpr int kVocab = 5003;
  int refused = 0;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), test::kImpossibleLogit}) {
    test::LogitRow row(kVocab, bad == test::kImpossibleLogit ? bad : 1.0f);
    row[4500] = bad;
    engine::Logits logits;
    test::leave_on_device(check.gpu, {row}, logits);
    sampling::ElsewhereChooser chooser(sampling::HeadVocabulary(kVocab),
                                       std::make_unique<cuda::CudaRowReader>(
                                           check.gpu, kVocab, engine::RowReaderOptions{.top = 1}),
                                       nullptr, true);
    try {
      const Token token = chooser.choose(logits, 0, sampling::SequenceSampling::greedy(), 3);
      check.fail(fmt::format("limits: of a row with {} token {} was chosen", bad, token));
    } catch (const std::logic_error&) {
      ++refused;
    }
  }
  check.found["limits"]["bad_rows_refused"] = refused;
}

}  // namespace

void check_limits(Check& check) {
  compare_overflows(check);
  check_bad_rows(check);
}

}  // namespace outrider::device_check
