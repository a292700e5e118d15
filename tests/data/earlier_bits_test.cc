#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "data/commands/commands.h"
#include "runtime/base/text_file.h"
#include "runtime/certify/certificate.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::data {
namespace {

// A program before attention had splits hashed the first 64 tokens of the fixed text, of which the logits are still
// the same: its stores are not continued, as texts beyond 256 tokens have other bits.
TEST(EarlierBits, AreNotContinued) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  const auto tiny =
      test::write_tiny_llama(folder.path(), "tiny.gguf", {}, 1, model::WeightType::kQ4_1);
  std::ofstream(path("p.jsonl")) << "{\"turns\": [\"the cat and the hat\"]}\n";
  const auto traces = [&] {
    return test::run_command(add_traces, {"traces", "-m", tiny.string(), "--prompts",
                                          path("p.jsonl"), "-o", path("t"), "-n", "4", "--quiet"});
  };
  ASSERT_EQ(traces().code, 0);
  ASSERT_EQ(traces().code, 0);  // a whole store stays as it is

  const model::Model model = model::load_model(tiny);
  const auto engine = engine::make_engine(model, {.threads = 1});
  const std::string now = fmt::format("{:016x}", certify::hash_of_fixed_text(*engine));
  const std::string before = fmt::format("{:016x}", certify::hash_of_fixed_text(*engine, 64));
  auto manifest = nlohmann::ordered_json::parse(read_text_file(path("t/manifest.json"), 1 << 20));
  EXPECT_EQ(manifest["logits_hash"], now);
  manifest["logits_hash"] = before;
  std::ofstream(path("t/manifest.json")) << manifest.dump(1);
  const test::Outcome refused = traces();
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_NE(refused.err.find(fmt::format(
                "was started with other options: the arithmetic, by the hash of a fixed "
                "text's logits, was {} and is now {}; use the same options, or another folder",
                before, now)),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace outrider::data
