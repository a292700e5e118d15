#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "data/commands/commands.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/replace_group.h"
#include "tests/support/run_command.h"
#include "tests/support/shallow_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A folder with a tiny target, traces of it, and artifacts with a draft model of its first layer.
class TracedDraft : public testing::Test {
 protected:
  /// Makes all of it. @param flags  of `data traces`
  void make(const std::vector<std::string>& flags) {
    write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 1, model::WeightType::kQ8_0);
    std::ofstream(path("p.jsonl")) << "{\"turns\": [\"abc abd abc\"], \"task\": \"one\"}\n"
                                      "{\"turns\": [\"the cat and the hat\"], \"task\": \"two\"}\n";
    std::vector<std::string> words = {"traces",        "-m",    path("tiny.gguf"), "--prompts",
                                      path("p.jsonl"), "--out", path("traces"),    "--quiet"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome made = run_command(data::add_traces, words);
    ASSERT_EQ(made.code, 0) << made.err;
    const model::Model target = model::load_model(path("tiny.gguf"));
    const model::Model draft =
        shallow_model(target, std::vector{1}, every_token(target.config.vocab, 0, 2));
    artifacts::replace_group(path("tiny.h5"), artifacts::identity_of(target), artifacts::kDraft, {},
                             [&](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_draft(draft, std::vector{1}, file, group);
                             });
  }
  /// Runs a command on it.
  template <typename Add>
  Outcome run_on_traces(const Add& add, const std::string& name,
                        const std::vector<std::string>& flags) const {
    std::vector<std::string> words = {name,           "-m",          path("tiny.gguf"), "--data",
                                      path("traces"), "--artifacts", path("tiny.h5"),   "--quiet"};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_command(add, words);
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

}  // namespace outrider::test
