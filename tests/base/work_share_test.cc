#include "runtime/base/work_share.h"

#include <gtest/gtest.h>

#include <map>

#include "runtime/base/launched_process.h"
#include "tests/support/expect_input_error.h"

namespace outrider {
namespace {

using test::expect_input_error;
using Variables = std::map<std::string, std::string>;

Environment of(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

/// "2/3 by VARIABLES"
std::string share(const std::string& text, const Variables& variables, int there = 0) {
  const WorkShare found = read_share(text, there, of(variables));
  std::string all = std::to_string(found.part) + "/" + std::to_string(found.parts);
  return found.variables.empty() ? all : all + " by " + found.variables;
}

void refused(const std::string& text, const Variables& variables, const std::string& message,
             int there = 0) {
  expect_input_error([&] { read_share(text, there, of(variables)); }, message);
}

Variables array(int task, int first, int last) {
  return {{"SLURM_ARRAY_TASK_ID", std::to_string(task)},
          {"SLURM_ARRAY_TASK_COUNT", std::to_string(last - first + 1)},
          {"SLURM_ARRAY_TASK_MIN", std::to_string(first)},
          {"SLURM_ARRAY_TASK_MAX", std::to_string(last)}};
}

Variables with(Variables some, const Variables& more) {
  for (const auto& [name, value] : more) some[name] = value;
  return some;
}

const Variables kSrun = {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}};
const Variables kMpirun = {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}};

TEST(WorkShare, IsWhatIsGiven) {
  EXPECT_EQ(share("1/1", {}), "1/1");
  EXPECT_EQ(share("3/7", kSrun, 5), "3/7");
  for (const char* text : {"", "2", "0/3", "4/3", "a/3", "1/b", "1/2/3", "1/1000001", "automatic",
                           "auto/0", "auto/x", "auto/", "-1/3"})
    refused(text, kSrun,
            "--shard: expected I/N with I from 1 to N, such as 1/3, auto, or auto/N, found '" +
                std::string(text) + "'");
}

TEST(WorkShare, IsThatOfALaunchedProcess) {
  EXPECT_EQ(share("auto", kSrun), "2/4 by SLURM_PROCID=1 and SLURM_NTASKS=4");
  EXPECT_EQ(share("auto", kMpirun), "3/3 by OMPI_COMM_WORLD_RANK=2 and OMPI_COMM_WORLD_SIZE=3");
  EXPECT_EQ(share("auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}),
            "1/2 by PMI_RANK=0 and PMI_SIZE=2");
  EXPECT_EQ(share("auto", {{"RANK", "1"}, {"WORLD_SIZE", "2"}}), "2/2 by RANK=1 and WORLD_SIZE=2");
  EXPECT_EQ(share("auto/4", kSrun), "2/4 by SLURM_PROCID=1 and SLURM_NTASKS=4");
  refused("auto/5", kSrun, "--shard auto/5: expected 4 parts, as of SLURM_PROCID=1");
  refused("auto", {},
          "--shard auto: expected variables of a launcher, found none of "
          "SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT, JOB_COMPLETION_INDEX, "
          "SLURM_PROCID with SLURM_NTASKS, OMPI_COMM_WORLD_RANK");
}

TEST(WorkShare, OfAProcessOfTwoLaunchersIsRefusedUnlessTheyAgree) {
  refused("auto", with(kSrun, kMpirun),
          "OMPI_COMM_WORLD_RANK=2 and OMPI_COMM_WORLD_SIZE=3 contradict SLURM_PROCID=1 and "
          "SLURM_NTASKS=4: expected the variables of one launcher");
  EXPECT_EQ(share("auto", with(kSrun, {{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}})),
            "2/4 by SLURM_PROCID=1 and SLURM_NTASKS=4");
  // mpirun in a batch script of one task.
  const Variables batch = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}};
  EXPECT_EQ(share("auto", with(batch, kMpirun)),
            "3/3 by OMPI_COMM_WORLD_RANK=2 and OMPI_COMM_WORLD_SIZE=3");
  EXPECT_EQ(share("auto", batch), "1/1 by SLURM_PROCID=0 and SLURM_NTASKS=1");
  EXPECT_EQ(share("auto", with(kMpirun, {{"SLURM_PROCID", "0"}})),
            "3/3 by OMPI_COMM_WORLD_RANK=2 and OMPI_COMM_WORLD_SIZE=3");
}

TEST(LaunchedProcess, HasAPlaceOnItsHostWhereTheLauncherSaysSo) {
  const auto place = [](const Variables& variables) {
    return launched_process(of(variables)).value().place;
  };
  EXPECT_EQ(place(kSrun), 0);
  EXPECT_EQ(place(with(kSrun, {{"SLURM_LOCALID", "3"}})), 3);
  EXPECT_EQ(place(with(kMpirun, {{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}})), 1);
  EXPECT_EQ(place({{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "2"}}), 2);
  EXPECT_EQ(place({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "4"}}), 4);
  // One that another launcher left is not this one's.
  EXPECT_EQ(place(with(kSrun, {{"LOCAL_RANK", "4"}})), 0);
  expect_input_error(
      [&] {
        place(with(kSrun, {{"SLURM_LOCALID", "x"}}));
      },
      "SLURM_LOCALID: expected a whole number from 0, found 'x'");
}

TEST(WorkShare, BadVariablesAreNamed) {
  refused("auto", {{"RANK", "1"}}, "RANK is set and WORLD_SIZE is not: expected both, or neither");
  refused("auto", {{"RANK", "2"}, {"WORLD_SIZE", "2"}},
          "RANK: expected a number from 0 to 1, as WORLD_SIZE is 2, found 2");
  refused("auto", {{"RANK", "0"}, {"WORLD_SIZE", "0"}}, "WORLD_SIZE: expected a number from 1");
  for (const char* text : {"one", "-1", "1.5", "99999999999"})
    refused("auto", {{"RANK", text}, {"WORLD_SIZE", "2"}},
            "RANK: expected a whole number from 0, found '" + std::string(text) + "'");
  refused("auto", {{"SLURM_ARRAY_TASK_ID", "x"}}, "SLURM_ARRAY_TASK_ID: expected a whole number");
}

TEST(WorkShare, OfAnArrayComesBeforeThatOfARank) {
  EXPECT_EQ(share("auto", with(array(3, 0, 7), kSrun)),
            "4/8 by SLURM_ARRAY_TASK_ID=3 and SLURM_ARRAY_TASK_COUNT=8");
  refused("auto", {{"SLURM_ARRAY_TASK_ID", "3"}},
          "SLURM_ARRAY_TASK_ID is set and SLURM_ARRAY_TASK_COUNT is not");
  for (const auto& [first, last] : {std::pair{1, 8}, std::pair{4, 4}})
    refused("auto", array(4, first, last),
            "expected an array that begins at 0 and leaves no number out, such as --array=0-" +
                std::to_string(last - first));
  Variables every_other = array(2, 0, 1);
  every_other["SLURM_ARRAY_TASK_MAX"] = "2";
  refused("auto", every_other, "found 2 tasks from 0 to 2");
}

TEST(WorkShare, OfAPartOfAnArrayIsWhatItWasInTheWhole) {
  EXPECT_EQ(share("auto", array(5, 4, 5), 8),
            "6/8 by SLURM_ARRAY_TASK_ID=5 and SLURM_ARRAY_TASK_COUNT=2");
  EXPECT_EQ(share("auto/8", array(5, 5, 5)),
            "6/8 by SLURM_ARRAY_TASK_ID=5 and SLURM_ARRAY_TASK_COUNT=1");
  refused("auto", array(8, 8, 8), "SLURM_ARRAY_TASK_ID: expected a number from 0 to 7", 8);
  refused("auto", array(5, 0, 9), "the array has 10 tasks, but the work was divided into 8 parts",
          8);
}

TEST(WorkShare, OfKubernetesNeedsTheNumberOfParts) {
  const Variables pod = {{"JOB_COMPLETION_INDEX", "2"}};
  EXPECT_EQ(share("auto/4", pod), "3/4 by JOB_COMPLETION_INDEX=2");
  EXPECT_EQ(share("auto", pod, 4), "3/4 by JOB_COMPLETION_INDEX=2");
  refused("auto", pod, "JOB_COMPLETION_INDEX=2 has no total; expected --shard auto/N");
  refused("auto/2", pod,
          "JOB_COMPLETION_INDEX: expected a number from 0 to 1, as there are 2 parts");
}

TEST(WorkShare, IsToldWithItsVariables) {
  const WorkShare found = read_share("auto", 0, of(kSrun));
  EXPECT_EQ(share_text("auto", found),
            "--shard auto: part 2 of 4, by SLURM_PROCID=1 and SLURM_NTASKS=4");
  EXPECT_EQ(share_text("1/2", read_share("1/2", 0, of(kSrun))), "");
}

}  // namespace
}  // namespace outrider
