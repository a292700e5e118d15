// Traces of many conversations: in any division among batches, threads, processes and devices they are the same.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/programs/traces.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

TEST_F(Traces, DoNotDependOnBatchThreadsChunksOrParts) {
  const std::string flags =
      " -n 16 --samples 12 --temperature 0.7 --store features --layers 0 2 final";
  make("-o whole" + flags);
  const std::string whole = exported("whole");
  for (const char* other :
       {"--batch 1", "--batch 5 --prefill-chunk 3", "-t 3 --batch 50", "--isa scalar --batch 17"}) {
    shell_.run("rm -rf t");
    make("-o t " + std::string(other) + flags);
    EXPECT_EQ(exported("t"), whole) << other;
  }
  for (const char* part : {"2/3", "3/3", "1/3"})
    make("-o parts --shard " + std::string(part) + flags);
  EXPECT_EQ(exported("parts"), whole);
}

/// Tokens are chosen and rows scored on the device: 64 conversations at a time, with every kind of choice, and states.
TEST_F(Traces, OfAGpuAreTheProcessorsBytes) {
  shell_.write("p.jsonl",
               "{\"turns\": [\"one\"]}\n{\"turns\": [\"two\"]}\n{\"turns\": [\"three\"]}\n"
               "{\"turns\": [\"four, and more than are read in one pass: " +
                   std::string(60, 'x') + "\"]}\n");
  std::string flags;
  for (const char* sampling :
       {"-n 4 --samples 16 --temperature 0 0.9 --repetition-penalty 1.1 --presence-penalty 0.2 "
        "--logit-bias 70=2.5 80=-1",
        "-n 3 --samples 3 --temperature 0.8 --top-k 20 --top-p 0.9 --min-p 0.02",
        "-n 3 --samples 5 --temperature 0 0.7 --store features --layers 0 1 2 final"}) {
    shell_.run("rm -rf cpu gpu");
    flags = fmt::format(" --chat raw --batch 64 --keep-top 9 --seed 4 {}", sampling);
    make("-o cpu --device cpu" + flags);
    make("-o gpu --device cuda-emulated" + flags);
    const Outcome compared = shell_.run(
        "ls cpu/*.h5 | wc -l; for shard in cpu/*.h5; do cmp $shard gpu/${shard#cpu/} || exit 1; "
        "done; ls gpu/*.h5 | wc -l");
    EXPECT_EQ(compared.status, 0) << sampling << "\n" << compared.out;
    const std::size_t line = compared.out.find('\n') + 1;
    EXPECT_EQ(compared.out.substr(0, line), compared.out.substr(line));
  }
  // The manifests say where, and a store begun on one goes on on the other.
  const auto devices = [&](const std::string& store) {
    return shell_.run("jq -c '[.shards[].device] | unique' " + store + "/manifest.json").out;
  };
  EXPECT_EQ(devices("cpu"), "[\"cpu\"]\n");
  EXPECT_EQ(devices("gpu"), "[\"cuda\"]\n");
  shell_.run(
      "jq 'del(.shards[0])' gpu/manifest.json > m; mv m gpu/manifest.json; rm gpu/shard-00000.h5");
  make("-o gpu --device cpu" + flags);
  EXPECT_EQ(devices("gpu"), "[\"cpu\",\"cuda\"]\n");
  EXPECT_EQ(
      shell_.run("for shard in cpu/*.h5; do cmp $shard gpu/${shard#cpu/} || exit 1; done").status,
      0);
}

TEST_F(Traces, OfAJobArrayAreMergedIntoWhatOneProcessMakes) {
  const std::string flags = " -n 8 --samples 12 --temperature 0.7";
  make("-o whole" + flags);
  const auto task = [&](int number, int tasks, int first, int last) {
    return shell_.run(
        fmt::format("SLURM_ARRAY_TASK_ID={} SLURM_ARRAY_TASK_COUNT={} SLURM_ARRAY_TASK_MIN={} "
                    "SLURM_ARRAY_TASK_MAX={} \"$data\" traces -m $tiny --prompts p.jsonl -o parts "
                    "--shard auto{}",
                    number, tasks, first, last, flags));
  };
  for (const int number : {0, 2}) {
    const Outcome outcome = task(number, 3, 0, 2);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find(fmt::format("--shard auto: part {} of 3, by SLURM_ARRAY_TASK_ID={} "
                                           "and SLURM_ARRAY_TASK_COUNT=3",
                                           number + 1, number)),
              std::string::npos)
        << outcome.err;
  }
  const Outcome early = shell_.run("\"$data\" merge parts --check");
  EXPECT_EQ(early.status, 1);
  EXPECT_NE(early.out.find("parts: 1 of 3 shards are missing of part 2 of 3: start it again with "
                           "--shard I/3, or of a job array --array=1"),
            std::string::npos)
      << early.out;
  EXPECT_NE(early.err.find("nothing was changed"), std::string::npos) << early.err;
  const Outcome other = traces("-o parts --shard 2/4" + flags);
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("parts: was begun with --shard I/3, now with --shard I/4"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(task(1, 1, 1, 1).status, 0);  // sbatch --array=1
  const Outcome merged = shell_.run("\"$data\" merge parts --check && ls parts");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_NE(merged.out.find("parts: 3 shards, content hash"), std::string::npos) << merged.out;
  EXPECT_NE(merged.out.find("manifest.json"), std::string::npos);
  EXPECT_EQ(merged.out.find("-of-3"), std::string::npos) << merged.out;
  const Outcome equal = shell_.run(
      "for f in whole/*.h5; do cmp $f parts/${f#whole/}; done; for d in whole parts; do sed "
      "'/written/d' $d/manifest.json > $d.json; done; cmp whole.json parts.json");
  EXPECT_EQ(equal.status, 0) << equal.out << equal.err;
}

TEST_F(Traces, AreMergedFromFoldersOfSeveralMachines) {
  const std::string flags = " -n 8 --samples 12 --temperature 0.7";
  make("-o whole" + flags);
  make("-o a --shard 1/2" + flags);
  make("-o b --shard 2/2" + flags);
  const auto says = [&](const std::string& arguments, int status, const std::string& text) {
    const Outcome outcome = shell_.run("\"$data\" merge " + arguments);
    EXPECT_EQ(outcome.status, status) << arguments;
    EXPECT_NE((outcome.out + outcome.err).find(text), std::string::npos)
        << arguments << outcome.out << outcome.err;
  };
  says("a b", 2, "--out: expected a folder for what 2 folders are to be put together in");
  shell_.run("ln -s a link; mkdir a/group-of-a; touch file");
  for (const std::string out : {"a", "./b/.", "link", "a/group-of-a"})
    says("a b -o " + out, 2, "--out " + out + ": would replace files of ");
  says("a b -o b/manifest-2-of-2.json", 2,
       "--out b/manifest-2-of-2.json: would replace a file of b, which is read");
  shell_.run("rmdir a/group-of-a");
  says("a", 1, "a: 1 of 3 shards are missing of part 2 of 2");
  shell_.run("cp -r a damaged; printf x >> damaged/shard-00000.h5");
  says("damaged b -o all --check", 1, "damaged/shard-00000.h5: damaged: expected");
  says("a b -o all --check", 0, "all: 3 shards, content hash");
  EXPECT_EQ(exported("all"), exported("whole"));
  says("a --unfinished", 0, "warning: a: 1 of 3 shards are missing");
  make("-o a" + flags);
  EXPECT_EQ(exported("a"), exported("whole"));
}

TEST_F(Traces, GoOnAfterAKillOrAnInterrupt) {
  const std::string flags = " -n 40 --samples 40 --temperature 1";
  make("-o whole" + flags);
  const std::string whole = exported("whole");
  for (const auto& [signal, status] : {std::pair{"KILL", 137}, std::pair{"INT", 130}}) {
    shell_.run("rm -rf t");
    const Outcome broken = shell_.run(
        "\"$data\" traces -m $tiny --prompts p.jsonl -o t -t 1 --batch 4 " + flags +
        " & pid=$!; until grep -qs content_hash t/manifest*.json; do sleep 0.01; done; kill -" +
        signal + " $pid; wait $pid");
    EXPECT_EQ(broken.status, status) << broken.err;
    const Outcome rest = traces("-o t --json -" + flags);
    EXPECT_EQ(rest.status, 0) << rest.err;
    EXPECT_GT(Json::parse(rest.out)["shards_before"], 0);
    EXPECT_GT(Json::parse(rest.out)["shards_written"], 0);
    EXPECT_EQ(exported("t"), whole);
  }
}

}  // namespace
}  // namespace outrider::test
