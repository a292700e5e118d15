#include "data/journal/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "calibrate/answers/find_answers.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/base/interrupted.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using Entry = data::Journal::Entry;

TEST(Journal, KeepsWhatWasWholeOfTheSameWork) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "part";
  {
    data::Journal journal(path, "work");
    for (const Entry& entry : {Entry{1, 2, 3}, Entry{}, Entry{-7, 1 << 30}}) journal.append(entry);
  }
  const auto size = std::filesystem::file_size(path);
  for (const std::uintmax_t cut : {1U, 3U, 4U, 9U, 15U}) {  // the last entry takes 16 bytes
    std::filesystem::copy_file(path, folder.path() / "cut",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder.path() / "cut", size - cut);
    data::Journal journal(folder.path() / "cut", "work");
    EXPECT_EQ(journal.kept(), (std::vector<Entry>{{1, 2, 3}, {}})) << cut;
    journal.append({5});
    EXPECT_EQ(data::Journal(folder.path() / "cut", "work").kept(),
              (std::vector<Entry>{{1, 2, 3}, {}, {5}}));
  }
  EXPECT_EQ(data::Journal(path, "work").kept(), (std::vector<Entry>{{1, 2, 3}, {}, {-7, 1 << 30}}));
  EXPECT_EQ(data::Journal::count_kept(path, "work"), 3U);
  EXPECT_EQ(data::Journal::count_kept(path, "other work"), 0U);
  EXPECT_EQ(data::Journal::count_kept(folder.path() / "none", "work"), 0U);
  const std::vector<int> five = {1, 2, 3, 4, 5};
  EXPECT_EQ(data::Journal(path, "work").left_of(five), (std::vector<int>{4, 5}));
  EXPECT_TRUE(data::Journal(path, "other work").kept().empty());
  EXPECT_TRUE(data::Journal(path, "work").kept().empty());
  data::Journal(path, "work").remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Journal, SaysWhyItCannotBeWrittenAndKeepsTheEntriesBefore) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "part";
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  {
    data::Journal journal(path, "work");
    journal.append({1, 2, 3});
    const rlimit limit = {1000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    test::expect_input_error(
        [&] { journal.append(Entry(1000, 7)); },
        path.string() + ": cannot write: File too large; what is done is kept");
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(data::Journal(path, "work").kept(), (std::vector<Entry>{{1, 2, 3}}));
  std::filesystem::create_directories(folder.path() / "folder");
  test::expect_input_error([&] { data::Journal(folder.path() / "folder", "work"); },
                           "folder: cannot open: Is a directory");
}

TEST(Journal, ARunThatWasBrokenOffGoesOnAndFindsTheSame) {
  test::TinyEngine target(model::WeightType::kQ4_1, 1, 1);
  std::vector<Answer> answers;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    answers.push_back({"p", "t", test::random_tokens(60, 8, seed), 30});
  answers[2].tokens.resize(30);  // nothing was generated
  const test::TemporaryFolder folder;
  int looked_at = 0;
  const auto run = [&](StateSweep& sweep, int most) {
    data::Journal journal(folder.path() / "part", "work");
    Watch unheard;
    for_each_answer(
        "answers", answers, unheard, journal,
        [&](const Answer& answer) {
          if (most-- == 0) throw Interrupted();
          ++looked_at;
          sweep.add(answer);
          return sweep.table().last_noted();
        },
        [&](const Answer& answer, const Entry& kept) {
          return sweep.table().restore(answer, kept);
        });
  };
  const StateSweep empty(target.engine, every_layer(target.engine.config()));
  StateSweep broken = empty, resumed = empty, whole = empty;
  EXPECT_THROW(run(broken, 3), Interrupted);
  run(resumed, 99);
  EXPECT_EQ(looked_at, 5);
  for (const Answer& answer : answers) whole.add(answer);
  for (std::size_t layer = 0; layer < whole.table().rankings(); ++layer) {
    for (const double threshold : {-1.0, 0.5}) {
      const CopyDrafting how = {.draft_length = 7, .threshold = threshold};
      EXPECT_EQ(resumed.table().replay(layer, how).passes_by_drafted,
                whole.table().replay(layer, how).passes_by_drafted);
      EXPECT_EQ(resumed.table().replay(layer, how).accepted,
                whole.table().replay(layer, how).accepted);
    }
  }
}

TEST(Journal, AnEntryThatCannotBeIsRefused) {
  const Answer answer = {"p", "t", {5, 6, 5, 6, 5, 6}, 2};
  // Ends, then a source of each position: where it is, its score and its bonus.
  const Entry noted = {3, 1, 2, 3, 0, 7, 8, 1, 7, 8, 2, 7, 8};
  CopyTable whole(1);
  ASSERT_TRUE(whole.restore(answer, noted));
  EXPECT_EQ(whole.last_noted(), noted);
  CopyTable table(1);
  const auto refused = [&](std::size_t place, std::int32_t number) {
    Entry spoiled = noted;
    spoiled[place] = number;
    return !table.restore(answer, spoiled);
  };
  EXPECT_TRUE(refused(0, 2));
  EXPECT_TRUE(refused(0, 1 << 30));
  EXPECT_TRUE(refused(1, -1));
  EXPECT_TRUE(refused(1, 2));  // two sources at a position
  EXPECT_TRUE(refused(3, 1));
  EXPECT_TRUE(refused(4, -1));
  EXPECT_TRUE(refused(4, 2));  // the token itself
  for (const int change : {-1, 1}) {
    Entry other = noted;
    other.resize(noted.size() + static_cast<std::size_t>(change));
    EXPECT_FALSE(table.restore(answer, other)) << change;
  }
  EXPECT_FALSE(table.restore(answer, Entry{3, 1, 2, 3, 0, 7, 1, 7, 2, 7}));  // of old: no bonus
  EXPECT_FALSE(table.restore(answer, {}));
  EXPECT_EQ(table.replay(0, {}).passes, 0);

  const test::TemporaryFolder folder;
  data::Journal(folder.path() / "part", "work").append({1, 2});
  data::Journal journal(folder.path() / "part", "work");
  const auto go_on = [&] {
    Watch unheard;
    for_each_answer(
        "answers", std::vector{answer}, unheard, journal, [](const Answer&) { return Entry(); },
        [&](const Answer& one, const Entry& kept) { return table.restore(one, kept); });
  };
  test::expect_input_error(go_on, "its contents are invalid; remove it");
}

}  // namespace
}  // namespace outrider::calibrate
