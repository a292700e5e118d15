// Studies whose work several processes divide find what one process finds: `calibrate … --shard`.

#include "tests/calibrate/shared_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/commands/commands.h"

namespace outrider::calibrate {
namespace {

using test::bytes_of;
using test::SharedStudy;

// Heads and layers are looked for in two stages, the second of which is of what the first finds.
TEST_F(SharedStudy, OfCountsAloneIsTheSameWhateverTheNumberOfProcesses) {
  struct Study {
    cli::AddCommand add;
    const char* name;
    int times;  // that its parts are to be started, the last to learn that all is done
  };
  for (const Study& study :
       {Study{add_heads, "heads", 3}, {add_layer, "layer", 3}, {add_ngrammys, "ngrammys", 2}}) {
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
        trial.erase("improvement_factor");
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
       {Study{add_ssd, "ssd", 1}, {add_parallelspec, "parallelspec", 2}, {add_gsd, "gsd", 2}}) {
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

}  // namespace
}  // namespace outrider::calibrate
