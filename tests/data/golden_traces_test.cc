#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/commands/commands.h"
#include "data/store/trace_group.h"
#include "data/store/trace_store.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"
#include "tests/support/run_command.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::data {
namespace {

/// Traces of a tiny random model at temperatures 0 and 0.8 with states, and another model's scores of them.
class GoldenTraces : public testing::Test {
 protected:
  GoldenTraces() {
    const test::TinyShape shape = {.head_width = 32};
    test::write_tiny_llama(folder_.path(), "tiny.gguf", shape, 1, model::WeightType::kQ4_1);
    test::write_tiny_llama(folder_.path(), "draft.gguf", shape, 2, model::WeightType::kQ4_1);
    std::ofstream(path("p.jsonl")) << "{\"turns\": [\"abc abd abc\", \"and the hat\"]}\n"
                                      "{\"turns\": [\"the cat and the hat\"]}\n";
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  void run(std::vector<std::string> words, const std::string& isa) const {
    words.insert(words.begin(), {"traces", "-m", path("tiny.gguf"), "--isa", isa, "--quiet"});
    const test::Outcome done = test::run_command(add_traces, std::move(words));
    ASSERT_EQ(done.code, 0) << done.err;
  }

  /// The content hashes that `data inspect` shows.
  nlohmann::json found(const std::string& isa) const {
    run({"--prompts", path("p.jsonl"), "-o", path(isa), "--samples", "2", "--temperature", "0",
         "0.8", "-n", "40", "--store", "features", "--layers", "1", "final"},
        isa);
    run({"--add-to", path(isa), "--draft", path("draft.gguf")}, isa);
    const TraceStore store{std::filesystem::path(path(isa))};
    return {{"traces", content_hash(store.manifest())},
            {"draft", content_hash(TraceGroup(store, group_names(store).at(0)).manifest())}};
  }

  /// Those that this machine has.
  std::vector<std::string> instruction_sets() const {
    const model::Model model = model::load_model(path("tiny.gguf"));
    std::vector<std::string> names;
    for (const engine::Variant& variant : engine::make_engine(model, {.threads = 1})->variants())
      names.push_back(variant.name);
    return names;
  }

  test::TemporaryFolder folder_;
};

// The same bits on every machine, from prompts to files: what one wrote down, all others must find. A change that
// alters a hash needs a reason in its message; this test prints the new ones.
TEST_F(GoldenTraces, OnEveryInstructionSet) {
  std::ifstream file(test::source_path("tests/golden/traces.json"));
  const auto golden = nlohmann::json::parse(file)["content hashes"];
  for (const std::string& isa : instruction_sets()) EXPECT_EQ(found(isa), golden) << isa;
}

}  // namespace
}  // namespace outrider::data
