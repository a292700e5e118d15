// Studies whose work several processes divide: `calibrate … --shard`, `calibrate merge`.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/left_of_studies.h"
#include "calibrate/commands/replay_work.h"
#include "calibrate/graph/stretch_record.h"
#include "data/journal/journal_parts.h"
#include "data/journal/part_done.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/draft_settings.h"
#include "runtime/artifacts/parallel.h"
#include "runtime/engine/machine.h"
#include "runtime/hdf5/dataset_paths.h"
#include "runtime/methods/shared_settings.h"
#include "tests/calibrate/traced_draft.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_parallel.h"

namespace outrider::calibrate {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs studies beside tiny.h5, which has prices of passes: what is chosen by them is then always the same.
class SharedStudy : public test::TracedDraft {
 protected:
  void SetUp() override {
    make({"-n", "24", "--samples", "3", "--temperature", "0", "1", "1"});
    const model::Model target = model::load_model(path("tiny.gguf"));
    artifacts::replace_group(
        path("tiny.h5"), artifacts::identity_of(target),
        artifacts::parallel_group(draft::ParallelModel::Flavour::kEagle), {},
        [&](hdf5::Writer& file, const std::string& group) {
          artifacts::write_parallel(
              test::tiny_parallel(target, {.flavour = draft::ParallelModel::Flavour::kEagle}, 4),
              file, group);
        });
    write_prices(artifacts::identity_of(target));
    fs::copy_file(path("tiny.h5"), path("before.h5"));
  }

  /// As if `calibrate cost` had been there.
  void write_prices(const artifacts::TargetIdentity& target) const {
    cost::MachineCost made;
    made.numerics = "int8";
    made.isa = "scalar";
    cost::ThreadsCost& cost = made.passes.emplace_back();
    cost.threads = 1;
    for (const auto shape : {cost::Shape::kChain, cost::Shape::kTree})
      for (const int rows : {1, 2, 30}) {
        const double seconds = 1 + 0.05 * (rows - 1);
        cost.passes.push_back({{shape, rows, 10}, false, {seconds, seconds, seconds}});
      }
    artifacts::replace_group(path("tiny.h5"), target, artifacts::cost_group(engine::machine_name()),
                             {}, [&](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_cost(made, file, group);
                             });
  }

  test::Outcome run(cli::AddCommand add, const std::string& name,
                    std::vector<std::string> flags = {}) const {
    if (name == "graph") flags.insert(flags.end(), {"--tree-nodes", "40", "--steps", "3"});
    if (name == "tree") flags.insert(flags.end(), {"--depths", "3", "--children", "3"});
    if (name == "ngrams") flags.insert(flags.end(), {"--keep-top", "3"});
    if (name == "tree" || name == "graph") flags.insert(flags.end(), {"--positions", "12"});
    flags.insert(flags.end(), {"--threads", "1", "--isa", "scalar"});
    return run_on_traces(add, name, flags);
  }

  /// Runs all parts of what can be divided, again and again until all is done. @return how often
  int run_parts(cli::AddCommand add, const std::string& name, int parts) const {
    for (int times = 1; times < 9; ++times) {
      std::string said;
      for (int part = parts; part >= 1; --part) {
        const test::Outcome done = run(add, name, {"--shard", fmt::format("{}/{}", part, parts)});
        EXPECT_EQ(done.code, 0) << done.err;
        said += done.out;
      }
      if (said.find("is done") == std::string::npos) {
        EXPECT_NE(said.find(fmt::format("all {} parts are done: the same command without --shard "
                                        "writes the result",
                                        parts)),
                  std::string::npos)
            << said;
        return times;
      }
    }
    ADD_FAILURE() << name << " does not end";
    return 0;
  }

  void start_over() const {
    fs::copy_file(path("before.h5"), path("tiny.h5"), fs::copy_options::overwrite_existing);
    for (const auto& [journal, parts] : data::divided_journals(path("tiny.h5"))) {
      fs::remove(journal);
      for (const auto& [file, number] : data::files_of_parts(journal)) fs::remove(file);
    }
  }

  /// All datasets of tiny.h5 but the times at which they were made.
  std::map<std::string, std::string> contents() const {
    const artifacts::ArtifactFile file(path("tiny.h5"));
    std::map<std::string, std::string> found;
    for (const std::string& dataset : hdf5::dataset_paths(file.reader())) {
      if (dataset.ends_with("/provenance/date")) continue;
      if (file.reader().info(dataset).is_text) {
        found[dataset] = file.reader().read_text(dataset, 1 << 20);
      } else {
        const std::vector<std::byte> bytes = file.reader().read_bytes(dataset);
        found[dataset].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    }
    return found;
  }

  /// Bytes of all whole journals beside tiny.h5.
  std::map<std::string, std::string> journals() const {
    std::map<std::string, std::string> found;
    for (const auto& [journal, parts] : data::divided_journals(path("tiny.h5")))
      found[journal.filename().string()] = bytes_of(journal);
    return found;
  }
  bool has_parts() const { return data::parts_beside(path("tiny.h5")) > 0; }
};

// Heads and layers are looked for in two stages, the second of which is of what the first finds.
TEST_F(SharedStudy, OfCountsAloneIsTheSameWhateverTheNumberOfProcesses) {
  struct Study {
    cli::AddCommand add;
    const char* name;
    int times;  // that its parts are to be started, the last to learn that all is done
  };
  for (const Study& study :
       {Study{add_heads, "heads", 3}, {add_layer, "layer", 3}, {add_ngrams, "ngrams", 2}}) {
    start_over();
    ASSERT_EQ(run(study.add, study.name).code, 0);
    const auto of_one = contents();
    for (const int parts : {2, 3}) {
      start_over();
      EXPECT_EQ(run_parts(study.add, study.name, parts), study.times) << study.name;
      EXPECT_TRUE(has_parts());
      EXPECT_EQ(bytes_of(path("tiny.h5")), bytes_of(path("before.h5"))) << "by a share";
      const test::Outcome done = run(study.add, study.name);
      ASSERT_EQ(done.code, 0) << done.err;
      EXPECT_EQ(contents(), of_one) << study.name << ", " << parts << " processes";
      EXPECT_FALSE(has_parts());
    }
  }
}

// What follows is timed, and so differs from run to run; what was counted does not.
TEST_F(SharedStudy, OfADrafterCountsTheSameWhateverTheNumberOfProcesses) {
  using Json = nlohmann::json;
  struct Counted {
    std::vector<Json> by_temperature;
    std::set<std::string> trials;  // which are tried follows from times, what each counts does not
  };
  const auto counted = [&](cli::AddCommand add, const std::string& name) {
    const test::Outcome done = run(add, name, {"--json", "-"});
    EXPECT_EQ(done.code, 0) << done.err;
    Counted found;
    const Json record = Json::parse(done.out, nullptr, false);
    for (const Json& one : record["temperatures"]) {
      Json kept;
      for (const char* key :
           {"temperature", "positions", "agreement", "coverage", "redundancy", "tasks", "cut"})
        if (one.contains(key)) kept[key] = one[key];
      found.by_temperature.push_back(kept);
      for (Json trial : one.value("settings", Json::array())) {
        trial.erase("tokens_per_second");
        found.trials.insert(kept["temperature"].dump() + trial.dump());
      }
    }
    EXPECT_EQ(found.by_temperature.size(), 2U) << done.out;
    return found;
  };
  struct Study {
    cli::AddCommand add;
    const char* name;
    std::size_t journals;
  };
  for (const Study& study :
       {Study{add_draft, "draft", 1}, {add_tree, "tree", 2}, {add_graph, "graph", 2}}) {
    start_over();
    const Counted of_one = counted(study.add, study.name);
    std::map<std::string, std::string> of_two;
    for (const int parts : {2, 3}) {
      start_over();
      EXPECT_EQ(run_parts(study.add, study.name, parts), 2) << study.name;
      if (parts == 2) of_two = journals();
      EXPECT_EQ(journals(), of_two) << study.name;
    }
    EXPECT_EQ(of_two.size(), study.journals) << study.name;
    const Counted of_three = counted(study.add, study.name);
    EXPECT_EQ(of_three.by_temperature, of_one.by_temperature) << study.name;
    std::set<std::string> same;
    std::set_intersection(of_one.trials.begin(), of_one.trials.end(), of_three.trials.begin(),
                          of_three.trials.end(), std::inserter(same, same.end()));
    EXPECT_GE(2 * same.size(), of_one.trials.size()) << study.name;
    EXPECT_FALSE(has_parts());
  }
}

// The estimate of a run that goes on is of what is left.
TEST_F(SharedStudy, AnnouncesOnlyWhatItsJournalsLack) {
  struct Study {
    cli::AddCommand add;
    const char* name;
    std::vector<std::pair<std::string, std::string>> parts;  // the journal, and the work on texts
  };
  for (const Study& study :
       {Study{add_heads,
              "heads",
              {{"heads-counted", "heads counted on 1 texts, "},
               {"heads-tried", "choices of heads tried on 1 texts, "}}},
        {add_layer,
         "layer",
         {{"layers", "every layer tried on 1 texts, "},
          {"means-and-weights", "logits weighed on 1 texts, "}}},
        {add_draft, "draft", {{"draft-texts", "  1 texts read by the draft model, "}}}}) {
    for (std::size_t i = 0; i < study.parts.size(); ++i) {
      start_over();
      run_parts(study.add, study.name, 2);
      for (const auto& [journal, parts] : data::divided_journals(path("tiny.h5"))) {
        for (const auto& [file, number] : data::files_of_parts(journal)) fs::remove(file);
        // Without the last byte its last entry is incomplete.
        const std::string name = "tiny.h5." + study.parts[i].first + ".part";
        if (journal.filename() == name) fs::resize_file(journal, fs::file_size(journal) - 1);
      }
      const test::Outcome done = test::run_command(
          study.add, {study.name, "-m", path("tiny.gguf"), "--data", path("traces"), "--artifacts",
                      path("tiny.h5"), "--threads", "1", "--isa", "scalar"});
      ASSERT_EQ(done.code, 0) << done.err;
      const std::size_t plan = done.err.find(fmt::format("calibrate {}: about ", study.name));
      ASSERT_NE(plan, std::string::npos) << done.err;
      const std::size_t what = done.err.find(study.parts[i].second);
      EXPECT_NE(what, std::string::npos) << done.err;
      // What is done already is not in it.
      for (std::size_t before = 0; before < i; ++before) {
        const std::string& other = study.parts[before].second;
        EXPECT_EQ(done.err.find(other.substr(0, other.find(" on "))), std::string::npos)
            << done.err;
      }
      EXPECT_EQ(done.err.find(fmt::format("calibrate {}: about ", study.name), plan + 1),
                std::string::npos)
          << "announced twice";
    }
  }
}

// What `calibrate all` announces of them.
TEST_F(SharedStudy, OfTwoPartsHasLeftWhatItsJournalsLackOfEach) {
  const inference::Target target(
      {.model = path("tiny.gguf"), .engine = {.isa = engine::Isa::kScalar, .threads = 1}});
  const std::vector<Answer> answers = read_stored_answers(data::TraceStore(path("traces")));
  struct Left {
    std::int64_t first, second;
  };
  const auto left_of = [&](const std::string& name) {
    const auto [first, second] =
        name == "heads" ? left_of_heads(path("tiny.h5"), target, answers)
                        : left_of_layer(path("tiny.h5"), target, answers, methods::kDraftLength);
    return Left{first.answers, second.answers};
  };
  const auto cut = [&](const std::string& part) {
    const std::string journal = path("tiny.h5") + "." + part + ".part";
    fs::resize_file(journal, fs::file_size(journal) - 1);
  };
  struct Study {
    cli::AddCommand add;
    const char* name;
    const char* second;
    std::int64_t answers[2];  // of its parts
  };
  const std::int64_t all = std::ssize(answers);
  for (const Study& study : {Study{add_heads, "heads", kHeadsTried, {all / 2, all / 2}},
                             {add_layer, "layer", kLayerAveraged, {all, all}}}) {
    start_over();
    const Left before = left_of(study.name);
    EXPECT_EQ(before.first, study.answers[0]) << study.name;
    EXPECT_EQ(before.second, study.answers[1]) << study.name;
    run_parts(study.add, study.name, 2);
    const Left after = left_of(study.name);
    EXPECT_EQ(after.first, 0) << study.name;
    EXPECT_EQ(after.second, 0) << study.name;
    cut(study.second);
    const Left one = left_of(study.name);
    EXPECT_EQ(one.first, 0) << study.name;
    EXPECT_EQ(one.second, 1) << study.name;
  }
}

TEST_F(SharedStudy, SaysWhichPartsAreNotFinished) {
  const auto layer = [&](std::vector<std::string> flags) {
    return run(add_layer, "layer", std::move(flags));
  };
  const std::string journal = path("tiny.h5") + ".layers.part";
  const auto merge = [&] { return test::run_command(add_merge, {"merge", path("tiny.h5")}); };
  const test::Outcome none = merge();
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("expected work of processes with --shard beside it, files "),
            std::string::npos)
      << none.err;

  const test::Outcome first = layer({"--shard", "2/3"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find(journal + ": part 2 of 3 is done; parts 1 and 3 of 3 are not finished: "
                                     "start them again with --shard I/3, or of a job array "
                                     "--array=0,2; once all are, the same command goes on"),
            std::string::npos)
      << first.out;
  const test::Outcome early = layer({});
  EXPECT_EQ(early.code, 2);
  EXPECT_NE(early.err.find(journal + ": parts 1 and 3 of 3 are not finished: "), std::string::npos)
      << early.err;
  EXPECT_NE(early.err.find("to begin without them, remove its files *-of-3.part"),
            std::string::npos);
  EXPECT_EQ(layer({"--shard", "1/3"}).code, 0);
  const test::Outcome two = merge();
  EXPECT_EQ(two.code, 1);
  EXPECT_NE(two.out.find(journal + ": part 3 of 3 is not finished: start it again with --shard "
                                   "I/3, or of a job array --array=2\n"),
            std::string::npos)
      << two.out;
  EXPECT_FALSE(fs::exists(journal));

  const test::Outcome other = layer({"--shard", "3/4"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("its work was divided with --shard I/3, now with --shard I/4"),
            std::string::npos)
      << other.err;
  const test::Outcome last = layer({"--shard", "3/3"});
  EXPECT_NE(last.out.find("part 3 of 3 is done; the same command goes on from them"),
            std::string::npos)
      << last.out;
  const test::Outcome all = merge();
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.out, journal + ": all 3 parts are finished\n");
}

TEST_F(SharedStudy, GoesOnWithAPartThatStoppedHalfWay) {
  const auto draft = [&](std::vector<std::string> flags) {
    return run(add_draft, "draft", std::move(flags));
  };
  EXPECT_EQ(draft({"--shard", "1/2"}).code, 0);
  EXPECT_EQ(draft({"--shard", "2/2", "--minutes", "0.0000001"}).code, 130);
  const std::string part = path("tiny.h5") + ".draft-texts.2-of-2.part";
  EXPECT_EQ(data::read_journal_file(part).entries.size(), 1U) << "its head";
  EXPECT_EQ(draft({"--shard", "2/2"}).code, 0);
  const std::string finished = bytes_of(part);
  // One entry, and a piece of the next one.
  const auto entries = data::read_journal_file(part).entries;
  ASSERT_EQ(entries.size(), 4U);
  fs::resize_file(part, fs::file_size(part) - 4 * (entries[3].size() + 2) - 8);
  fs::remove(path("tiny.h5") + ".draft-texts.part");
  EXPECT_EQ(draft({}).code, 2);
  const test::Outcome again = draft({"--shard", "2/2"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(bytes_of(part), finished);
}

TEST_F(SharedStudy, RefusesPartsOfOtherWork) {
  const auto tree = [&](std::vector<std::string> flags) {
    return run(add_tree, "tree", std::move(flags));
  };
  EXPECT_EQ(tree({"--shard", "1/2"}).code, 0);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--shard", "2/2", "--limit", "5"}, {"--limit", "5"}}) {
    const test::Outcome other = tree(flags);
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find(path("tiny.h5") +
                             ".eagle-drafts-at-0.1-of-2.part: a part of other work: expected one "
                             "begun with the same traces, models, flags and version"),
              std::string::npos)
        << other.err;
  }
  const std::ofstream empty(path("tiny.h5") + ".layers.1-of-3.part");
  const test::Outcome mixed = test::run_command(add_merge, {"merge", path("tiny.h5")});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_NE(mixed.err.find(" parts; remove the files of one of these"), std::string::npos);
}

TEST_F(SharedStudy, NeedsTextsThatAreThere) {
  const test::Outcome made = test::run_command(
      add_heads,
      {"heads", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "--shard", "1/2"});
  EXPECT_EQ(made.code, 2);
  EXPECT_NE(made.err.find("--shard: only with --data: `data traces --shard` makes the texts"),
            std::string::npos)
      << made.err;
  const test::Outcome printed =
      run(add_draft, "draft", {"--draft", path("tiny.gguf"), "--shard", "1/2"});
  EXPECT_EQ(printed.code, 2);
  EXPECT_NE(printed.err.find("--shard: not with --draft, whose settings are printed"),
            std::string::npos)
      << printed.err;
  const test::Outcome no_launcher = run(add_layer, "layer", {"--shard", "auto"});
  EXPECT_EQ(no_launcher.code, 2);
  EXPECT_NE(no_launcher.err.find("--shard auto: expected variables of a launcher"),
            std::string::npos);
}

// A part of an array that is submitted again still means the same share.
TEST_F(SharedStudy, KeepsTheNumberOfPartsOfAnArray) {
  EXPECT_EQ(run(add_layer, "layer", {"--shard", "1/3"}).code, 0);
  ::setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  ::setenv("SLURM_ARRAY_TASK_COUNT", "1", 1);
  const test::Outcome again = run(add_layer, "layer", {"--shard", "auto"});
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  ::unsetenv("SLURM_ARRAY_TASK_COUNT");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("part 3 of 3 is done; part 2 of 3 is not finished"), std::string::npos)
      << again.out;
}

TEST(StretchRecord, IsWhatItWasAfterTheJournal) {
  const draft::DraftVocabulary vocabulary({}, 70, 70);
  const RecordedTree empty{draft::KeptLogits(vocabulary)};
  const Stretch stretch = {nullptr, 5, 7};
  StretchRecord record = {{nullptr, 5, {empty, empty}}, {{.children = 2, .trees = 2, .nodes = 9}}};
  record.redundancy[0].merging[3].divergence = 0.1;
  RecordedTree& tree = record.stretch.trees[1];
  std::vector<float> logits(70);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i * 29 % 70);
  const std::vector<sampling::RankedToken> two = {{7, -0.5, -0.25}, {3, -1.5, -2}};
  tree.expand(0, two, RecordedTree::kNone);
  tree.expand(2, two, tree.kept.keep(vocabulary, logits, {69, 1.5}));
  tree.is_cut = true;
  const data::JournalEntry entry = entry_of(record);
  const auto again = record_of(entry, stretch, empty);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(entry_of(*again), entry);
  const RecordedTree& found = again->stretch.trees[1];
  ASSERT_EQ(found.size(), 5);
  EXPECT_EQ(found.log_path(4), -4);
  EXPECT_EQ(found.depth(3), 2);
  EXPECT_EQ(found.kept_row(2), 0);
  EXPECT_FALSE(found.is_expanded(1));
  EXPECT_TRUE(found.is_cut);
  EXPECT_EQ(found.kept.log_q(0, 69), tree.kept.log_q(0, 69));
  EXPECT_FALSE(record_of(entry, {nullptr, 5, 8}, empty).has_value());
  for (std::size_t i = 0; i < entry.size(); ++i) {
    data::JournalEntry cut = entry;
    cut.resize(i);
    EXPECT_FALSE(record_of(cut, stretch, empty).has_value()) << i;
  }
  data::JournalEntry unknown = entry;  // the first parent of the second tree
  const std::size_t place = 4 + 3;
  ASSERT_EQ(unknown[place - 1], 4) << "nodes";
  unknown[place] = 9;
  EXPECT_FALSE(record_of(unknown, stretch, empty).has_value());
}

TEST(JournalParts, AreNamedBesideTheWhole) {
  EXPECT_EQ(data::part_path("f/mine.h5.heads-tried.part", 2, 4),
            "f/mine.h5.heads-tried.2-of-4.part");
  EXPECT_EQ((data::UnfinishedParts{8, {2, 5, 6}}.text()),
            "parts 2, 5 and 6 of 8 are not finished: start them again with --shard I/8, or of a "
            "job array --array=1,4,5");
}

}  // namespace
}  // namespace outrider::calibrate
