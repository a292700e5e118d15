// `calibrate ngrams`, and decoding with what it makes.

#include <gtest/gtest.h>

#include "calibrate/commands/ngrams.h"
#include "runtime/artifacts/ngram_tables.h"
#include "runtime/commands/decode.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

class NgramsCommand : public testing::Test {
 protected:
  NgramsCommand() {
    calibrated_ = test::run_command(add_ngrams, {"ngrams", "-m", model(1), "--artifacts", tables(),
                                                 "--keep-top", "8", "--batch", "50"});
  }
  std::string model(std::uint64_t seed) const {
    return test::write_tiny_llama(folder_.path(), "tiny" + std::to_string(seed) + ".gguf",
                                  {.head_width = 32}, seed, model::WeightType::kQ8_0)
        .string();
  }
  std::string tables() const { return (folder_.path() / "tiny.h5").string(); }
  test::Outcome decode(const std::string& path, std::vector<std::string> words) const {
    std::vector<std::string> all = {"decode", "-m", path, "-p", "abc abd abc", "-n", "40"};
    all.insert(all.end(), words.begin(), words.end());
    return test::run_command(add_decode, all);
  }

  test::TemporaryFolder folder_;
  test::Outcome calibrated_;
};

TEST_F(NgramsCommand, LeavesTablesWithTheirProvenanceAndNothingElse) {
  ASSERT_EQ(calibrated_.code, 0) << calibrated_.err;
  const artifacts::ArtifactFile file(tables());
  const artifacts::NgramTables made = artifacts::read_ngram_tables(file);
  EXPECT_EQ(made.vocab(), 274);
  EXPECT_EQ(made.top, 8);
  EXPECT_EQ(made.unigram_measure, "distance");
  EXPECT_EQ(made.numerics, "int8");
  const auto how = artifacts::read_provenance(file.reader(), artifacts::kNgramGroup);
  EXPECT_EQ(how.command, "calibrate ngrams");
  EXPECT_NE(how.options.find("keep-top = 8"), std::string::npos) << how.options;
  EXPECT_FALSE(std::filesystem::exists(tables() + ".ngrams"));
}

TEST_F(NgramsCommand, EveryDrafterOfTheTablesGivesThePlainText) {
  for (const std::string sampling : {"0", "1"}) {
    for (const std::vector<std::string>& method :
         {std::vector<std::string>{"unigram", "--drafts", "20"},
          {"bigram", "--drafts", "8", "--draft-length", "1"},
          {"bigram", "--drafts", "5", "--draft-length", "4"},
          {"ngrammys", "--drafts", "8"},
          {"ngrammys", "--drafts", "6", "--query", "2", "--draft-length", "3"}}) {
      std::vector<std::string> words = {"--temperature", sampling,  "--artifacts",
                                        tables(),        "--check", "--method"};
      words.insert(words.end(), method.begin(), method.end());
      const test::Outcome outcome = decode(model(1), words);
      EXPECT_EQ(outcome.code, 0) << method[0] << ": " << outcome.err;
      EXPECT_NE(outcome.err.find("check: 1 of 1 texts equal"), std::string::npos) << outcome.err;
    }
  }
}

TEST_F(NgramsCommand, WhatCannotBeMeantIsRefused) {
  const auto refused = [&](const std::string& path, const std::vector<std::string>& words,
                           const std::string& message) {
    const test::Outcome outcome = decode(path, words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused(model(2), {"--method", "bigram", "--drafts", "8", "--artifacts", tables()},
          "was made for the model tiny1.gguf");
  refused(model(2), {"--method", "bigram"}, "found no artifact file for tiny2.gguf");
  refused(model(1), {"--method", "bigram", "--drafts", "9", "--artifacts", tables()},
          "--drafts: found 9, but the table keeps 8");
  refused(model(1), {"--method", "pld", "--artifacts", tables()},
          "--artifacts: not used by --method pld, only by ");
  refused(model(1), {"--method", "unigram", "--draft-length", "3", "--artifacts", tables()},
          "--draft-length: not used by --method unigram");
  const test::Outcome outcome =
      test::run_command(add_ngrams, {"ngrams", "-m", model(2), "--artifacts", tables()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("was made for the model tiny1.gguf"), std::string::npos);
}

TEST_F(NgramsCommand, TablesWithATokenThatIsNoneAreRefused) {
  const artifacts::ArtifactFile before(tables());
  artifacts::NgramTables spoiled = artifacts::read_ngram_tables(before);
  for (const Token wrong : {-1, 274}) {
    spoiled.next[77] = wrong;
    artifacts::replace_group(tables(), before.target(), artifacts::kNgramGroup, {},
                             [&](artifacts::Hdf5Writer& file, const std::string& group) {
                               artifacts::write_ngram_tables(spoiled, file, group);
                             });
    test::expect_input_error(
        [&] { artifacts::read_ngram_tables(artifacts::ArtifactFile(tables())); },
        "/ngrammys/bigram/next", "expected tokens below 274");
  }
}

}  // namespace
}  // namespace outrider::calibrate
