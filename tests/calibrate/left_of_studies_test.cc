// What a study that goes on announces: what its journals lack.

#include "calibrate/studies/left_of_studies.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <utility>

#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/commands.h"
#include "runtime/methods/shared_settings.h"
#include "tests/calibrate/shared_study.h"

namespace outrider::calibrate {
namespace {

namespace fs = std::filesystem;
using test::SharedStudy;

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
        {add_ssd, "ssd", {{"draft-texts", "  1 texts read by the draft model, "}}}}) {
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

}  // namespace
}  // namespace outrider::calibrate
