// `calibrate ngrammys`, and decoding with what it makes.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/commands/commands.h"
#include "runtime/engine/machine.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

class NgrammysCommand : public testing::Test {
 protected:
  /// Each test has a copy of what `calibrate ngrammys` without further flags leaves.
  static void SetUpTestSuite() {
    made_ = std::make_unique<test::TemporaryFolder>();
    std::ofstream prompts(made_->path() / "p.jsonl");
    for (const char* turn : {"abc abd abc", "the cat and the hat", "ring a ring"})
      prompts << "{\"turns\": [\"" << turn << "\"]}\n";
    prompts.close();
    calibrated_ = calibrate_in(made_->path(), {});
  }
  static void TearDownTestSuite() { made_.reset(); }
  NgrammysCommand() {
    std::filesystem::copy(made_->path(), folder_.path(), std::filesystem::copy_options::recursive);
  }

  test::Outcome calibrate(const std::vector<std::string>& more) const {
    return calibrate_in(folder_.path(), more);
  }
  std::string model(std::uint64_t seed) const { return model_in(folder_.path(), seed); }
  std::string tables() const { return (folder_.path() / "tiny.h5").string(); }
  test::Outcome decode(const std::string& path, std::vector<std::string> words) const {
    std::vector<std::string> all = {"decode", "-m", path, "-p", "abc abd abc",
                                    "-n",     "40", "-t", "1"};
    all.insert(all.end(), words.begin(), words.end());
    return test::run_command(add_decode, all);
  }

  /// Rows verified apart accept what the tree accepts, and credit the same ones.
  static void compare_forms(const nlohmann::json& merged, const nlohmann::json& rows) {
    EXPECT_EQ(merged["settings"]["rows"], false);
    EXPECT_EQ(rows["settings"]["rows"], true);
    for (const char* same : {"output_tokens", "passes", "accepted"})
      EXPECT_EQ(merged[same], rows[same]);
    EXPECT_EQ(rows["rows"]["tokens"], rows["drafted"]);
    EXPECT_EQ(rows["rows"]["tree_share"], 1);
    EXPECT_EQ(merged["rows"]["tokens"], rows["rows"]["tokens"]);
    EXPECT_LE(merged["rows"]["tree_share"], 1);
    std::int64_t accepted = 0;
    for (const char* source : {"context", "bigram", "unigram"}) {
      const auto none = nlohmann::json::object();
      const nlohmann::json counts = rows["rows"].value(source, none);
      EXPECT_EQ(merged["rows"].value(source, none), counts) << source;
      for (const auto& tokens : counts.value("accepted_tokens", nlohmann::json::array()))
        accepted += tokens.get<std::int64_t>();
    }
    EXPECT_EQ(accepted, rows["accepted"]);
  }

  test::TemporaryFolder folder_;
  static test::Outcome calibrated_;

 private:
  static test::Outcome calibrate_in(const std::filesystem::path& folder,
                                    const std::vector<std::string>& more) {
    std::vector<std::string> words = {"ngrammys",
                                      "-m",
                                      model_in(folder, 1),
                                      "--artifacts",
                                      (folder / "tiny.h5").string(),
                                      "--keep-top",
                                      "8",
                                      "--batch",
                                      "50",
                                      "--prompts",
                                      (folder / "p.jsonl").string(),
                                      "-n",
                                      "30",
                                      "--threads",
                                      "1"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_command(add_ngrammys, words);
  }
  static std::string model_in(const std::filesystem::path& folder, std::uint64_t seed) {
    return test::write_tiny_llama(folder, "tiny" + std::to_string(seed) + ".gguf",
                                  {.head_width = 32, .context = 1024}, seed,
                                  model::WeightType::kQ8_0)
        .string();
  }

  static std::unique_ptr<test::TemporaryFolder> made_;
};

std::unique_ptr<test::TemporaryFolder> NgrammysCommand::made_;
test::Outcome NgrammysCommand::calibrated_;

TEST_F(NgrammysCommand, LeavesTablesWithTheirProvenanceAndNothingElse) {
  ASSERT_EQ(calibrated_.code, 0) << calibrated_.err;
  const artifacts::ArtifactFile file(tables());
  const draft::NgramTables made = artifacts::read_ngrammys(file);
  EXPECT_EQ(made.vocab(), 274);
  EXPECT_EQ(made.top, 8);
  EXPECT_NE(calibrated_.out.find("chosen: " + made.unigram_measure), std::string::npos);
  const auto tau = [&](const char* of) {
    return file.reader().read_number<double>(std::string("/ngrammys/tokens_per_pass/") + of);
  };
  EXPECT_EQ(made.unigram_measure,
            tau("unigram_inner") > tau("unigram_distance") ? "inner" : "distance");
  EXPECT_EQ(made.bigram_context, tau("bigram_chat") > tau("bigram_none") ? "chat" : "none");
  EXPECT_EQ(made.numerics, "int8");
  const auto how = artifacts::read_provenance(file.reader(), artifacts::kNgrammys);
  EXPECT_EQ(how.command, "calibrate ngrammys");
  EXPECT_NE(how.options.find("keep-top = 8"), std::string::npos) << how.options;
  EXPECT_NE(how.options.find("artifacts = \"tiny.h5\""), std::string::npos) << how.options;
  EXPECT_EQ(how.options.find('/'), std::string::npos) << how.options;
  EXPECT_NE(how.traces, "");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_NE(entry.path().extension(), ".part");
}

TEST_F(NgrammysCommand, ReplacesNoSourceOfItsAnswers) {
  const auto written = std::filesystem::last_write_time(tables());
  const test::Outcome outcome =
      calibrate({"--plot", (folder_.path() / "p.jsonl").string(), "--context", "none"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--plot "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("p.jsonl, which is read"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::filesystem::last_write_time(tables()), written) << "found after the work";
}

TEST_F(NgrammysCommand, WhatIsAskedForIsKept) {
  std::vector<std::vector<Token>> next;
  for (const auto& [measure, context] : {std::pair{"distance", "chat"}, {"inner", "none"}}) {
    ASSERT_EQ(calibrate({"--unigram", measure, "--context", context}).code, 0);
    const auto made = artifacts::read_ngrammys(artifacts::ArtifactFile(tables()));
    EXPECT_EQ(made.unigram_measure, measure);
    EXPECT_EQ(made.bigram_context, context);
    next.push_back(made.next);
  }
  EXPECT_NE(next[0], next[1]);
}

TEST_F(NgrammysCommand, TheModelExtendsTheLikeliestDraftsWhereItIsAskedTo) {
  const test::Outcome extended =
      calibrate({"--extend", "model", "--extend-drafts", "2", "--extend-length", "4", "--plot",
                 (folder_.path() / "curves.svg").string()});
  ASSERT_EQ(extended.code, 0) << extended.err;
  std::ifstream picture(folder_.path() / "curves.svg");
  const std::string svg{std::istreambuf_iterator<char>(picture), {}};
  for (const char* part : {"context, q = 3", "tokens kept of a draft", "drafts of the source"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_NE(extended.out.find("percent of passes of ngrammys, 8 drafts of 10 tokens, by rank of "
                              "the draft kept"),
            std::string::npos);
  EXPECT_NE(extended.out.find("bigram, w = 2"), std::string::npos);
  EXPECT_NE(extended.out.find("(2 drafts of 4)"), std::string::npos) << extended.out;
  const auto made = artifacts::read_ngrammys(artifacts::ArtifactFile(tables()));
  EXPECT_EQ(made.extended_rows, 2);
  EXPECT_EQ(made.extended_length, 3);
  EXPECT_EQ(made.extended.size(), 274u * 6);
  for (const char* temperature : {"0", "1"}) {
    const test::Outcome outcome =
        decode(model(1), {"--method", "ngrammys", "--drafts", "3", "--draft-length", "6",
                          "--temperature", temperature, "--artifacts", tables(), "--check"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST_F(NgrammysCommand, MethodsWithTablesDraftAsWasFoundToBeTheFastest) {
  const artifacts::ArtifactFile file(tables());
  const std::string group = artifacts::trials_group("ngrammys");
  const cost::Trials trials = artifacts::read_trials(file.reader(), group);
  EXPECT_EQ(trials.drafter, "");
  EXPECT_GT(trials.context, 5);
  ASSERT_EQ(trials.by_temperature.size(), 2U);
  EXPECT_EQ(trials.by_temperature[0].temperature, 0);
  EXPECT_EQ(trials.by_temperature[1].temperature, 1);
  EXPECT_EQ(trials.by_temperature[0].trials.size(), 6U * 9U) << "of 1, 2, 3, 4, 5 and 8 drafts";
  EXPECT_NE(calibrated_.out.find("tokens per second (and per pass) by drafts (down) and "
                                 "draft-length"),
            std::string::npos)
      << calibrated_.out;
  const std::string of_costs = artifacts::drafting_cost_group(engine::machine_name(), "ngrammys");
  const auto drafting = artifacts::read_drafting_cost(file.reader(), of_costs);
  EXPECT_TRUE(drafting.rows.empty());
  EXPECT_EQ(drafting.threads, 1);
  cost::TemperatureTrials greedy = trials.by_temperature[0];
  greedy.price(
      cost::TrialPrices::at(0, cost::CostModel(drafting.passes), trials.context, drafting));
  const auto best = [&](const cost::SettingValues& given, const char* name) {
    return cost::number_of(greedy.best(trials.names, given, {})->settings, name);
  };
  EXPECT_NE(calibrated_.out.find(fmt::format("--drafts {} --draft-length {}", best({}, "drafts"),
                                             best({}, "draft-length"))),
            std::string::npos);
  const auto settings = [&](const std::string& method, std::vector<std::string> words) {
    for (const std::string& word :
         {std::string("--artifacts"), tables(), std::string("--method"), method,
          std::string("--costs"), std::string("stored"), std::string("--json"), std::string("-")})
      words.push_back(word);
    const test::Outcome outcome = decode(model(1), words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["settings"];
  };
  for (const char* method : {"ngrammys", "bigram", "unigram"})
    EXPECT_EQ(settings(method, {})["drafts"], best({}, "drafts")) << method;
  for (const char* method : {"ngrammys", "bigram"})
    EXPECT_EQ(settings(method, {})["draft_length"], best({}, "draft-length")) << method;
  const auto given = settings("ngrammys", {"--drafts", "7", "--draft-length", "5"});
  EXPECT_EQ(given["drafts"], 7);
  EXPECT_EQ(given["draft_length"], 5);
  EXPECT_EQ(settings("ngrammys", {"--drafts", "7"})["draft_length"],
            best({{"drafts", 7.0}}, "draft-length"));
}

TEST_F(NgrammysCommand, TakesTheTimesThatCostMeasured) {
  const auto measure = [&](const char* threads) {
    const test::Outcome cost = test::run_command(
        add_cost, {"cost", "-m", model(1), "--artifacts", tables(), "--threads", threads, "--rows",
                   "1", "150", "--contexts", "10", "--rounds", "1"});
    ASSERT_EQ(cost.code, 0) << cost.err;
  };
  const auto timed_here = [&](const std::vector<std::string>& words) {
    const test::Outcome outcome = calibrate(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const bool here = outcome.out.find("predicted from passes after") != std::string::npos;
    const bool measured =
        outcome.out.find("predicted from what `calibrate cost` measured") != std::string::npos;
    EXPECT_NE(here, measured) << outcome.out;
    return here;
  };
  measure("2");
  EXPECT_TRUE(timed_here({}));
  measure("1");
  EXPECT_FALSE(timed_here({}));
  EXPECT_TRUE(timed_here({"--isa", "scalar"}));
}

TEST_F(NgrammysCommand, EveryDrafterOfTheTablesGivesThePlainText) {
  for (const std::string sampling : {"0", "1"}) {
    for (const std::vector<std::string>& method :
         {std::vector<std::string>{"unigram", "--drafts", "20"},
          {"bigram", "--drafts", "8", "--draft-length", "1"},
          {"bigram", "--drafts", "5", "--draft-length", "4"},
          {"ngrammys", "--drafts", "8"},
          {"ngrammys", "--drafts", "6", "--query", "2", "--draft-length", "3"}}) {
      std::vector<std::string> words = {"--temperature", sampling, "--artifacts", tables(),
                                        "--check",       "--json", "-",           "--method"};
      words.insert(words.end(), method.begin(), method.end());
      std::vector<nlohmann::json> records;
      for (const char* form : {"--rows=false", "--rows"}) {
        words.push_back(form);
        const test::Outcome outcome = decode(model(1), words);
        words.pop_back();
        ASSERT_EQ(outcome.code, 0) << method[0] << ": " << outcome.err;
        EXPECT_NE(outcome.err.find("check: 1 of 1 texts equal"), std::string::npos) << outcome.err;
        records.push_back(nlohmann::json::parse(outcome.out));
      }
      compare_forms(records[0], records[1]);
    }
  }
}

TEST_F(NgrammysCommand, WhatCannotBeMeantIsRefused) {
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
      test::run_command(add_ngrammys, {"ngrammys", "-m", model(2), "--artifacts", tables()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("was made for the model tiny1.gguf"), std::string::npos);
}

TEST_F(NgrammysCommand, TablesWithATokenThatIsNoneAreRefused) {
  const artifacts::ArtifactFile before(tables());
  draft::NgramTables spoiled = artifacts::read_ngrammys(before);
  for (const Token wrong : {-1, 274}) {
    spoiled.next[77] = wrong;
    artifacts::replace_group(tables(), before.target(), artifacts::kNgrammys, {},
                             [&](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_ngrammys(spoiled, file, group);
                             });
    test::expect_input_error([&] { artifacts::read_ngrammys(artifacts::ArtifactFile(tables())); },
                             "/ngrammys/bigram/next", "expected tokens below 274");
  }
}

}  // namespace
}  // namespace outrider::calibrate
