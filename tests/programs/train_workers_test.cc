#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"
#include "tests/programs/training_shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

/// A shell with a tiny model's traces, in which several workers train.
class TrainWorkers : public TrainingShell {
 protected:
  void SetUp() override {
    if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
    record(24, {{"t", "--temperature 1"}});
  }

  static std::string draft(int steps = 20) {
    return fmt::format(
        "draft -m $tiny --data t --validation 0.3 --validate-every 8 --batch 1 --accumulate 4 "
        "--vocab-size 100 --steps {} -t 1 --artifacts a.h5 --quiet",
        steps);
  }
  static std::string parallelspec() {
    return "parallelspec -m $tiny --data t --validation 0.3 --validate-every 8 --batch 1 "
           "--accumulate 4 --masks 2 --groups 4 --vocab-size 100 --steps 20 -t 1 --artifacts a.h5 "
           "--quiet";
  }

  /// Runs so many workers with arguments, of which each is told by RANK and WORLD_SIZE. `during` can use $pid0, $pid1, ….
  /// @return their statuses, "0 0"; what they said is in the files err0, err1, …
  std::string together(int count, const std::string& arguments,
                       const std::string& during = "") const {
    std::string command, end;
    for (int rank = 0; rank < count; ++rank) {
      command += fmt::format("RANK={} WORLD_SIZE={} \"$train\" {} 2> err{} & pid{}=$!; ", rank,
                             count, arguments, rank, rank);
      end += fmt::format("wait $pid{0}; all=\"$all$? \"; ", rank);
    }
    std::string statuses = shell_.run(command + during + end + "echo $all").out;
    while (!statuses.empty() && statuses.back() == '\n') statuses.pop_back();
    return statuses;
  }
  Json last_step(const std::string& work) const {
    const Outcome last = shell_.run("grep gradient_norm " + work + "/metrics.jsonl | tail -n 1");
    return Json::parse(last.out);
  }
  /// That a worker sent in the last step.
  double exchanged_bytes(const std::string& work) const {
    return last_step(work).value("exchange_bytes", 0.0);
  }
  std::string said(int rank) const { return shell_.read(fmt::format("err{}", rank)); }

  std::string hash(const std::string& work) const {
    const Json found =
        Json::parse(shell_.run("\"$train\" inspect " + work + " --json -").out, nullptr, false);
    return found.is_object() ? found["state_hash"].get<std::string>() : "none in " + work;
  }
};

TEST_F(TrainWorkers, OfADraftGiveTheBitsOfOneProcess) {
  ASSERT_EQ(shell_.run("\"$train\" " + draft() + " --work one").status, 0);
  ASSERT_EQ(together(2, draft() + " --work two --workers meet"), "0 0") << said(0) << said(1);
  EXPECT_EQ(hash("two"), hash("one"));
  // A port of its own for each run of the tests.
  const std::string port = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 20000)); ";
  const Outcome four = shell_.run(
      port + "for r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 \"$train\" " + draft() +
      " --work four --workers auto 2> err$r & pids=\"$pids $!\"; done; for p in $pids; do wait $p "
      "|| exit 1; done");
  ASSERT_EQ(four.status, 0) << said(0) << said(1) << said(2) << said(3);
  EXPECT_EQ(hash("four"), hash("one"));
  EXPECT_EQ(shell_.run("wc -l < four/metrics.jsonl").out, "24\n");
  // Twice the gradients, but for the part that a worker adds itself: a half, a quarter.
  EXPECT_GT(exchanged_bytes("two"), 0);
  EXPECT_NEAR(exchanged_bytes("four") / exchanged_bytes("two"), 1.5, 0.01);
  EXPECT_EQ(shell_.run("\"$runtime\" inspect a.h5 | grep -c '^/draft'").out, "1\n");
}

TEST_F(TrainWorkers, OfAParallelDrafterGiveTheBitsOfOneProcess) {
  ASSERT_EQ(shell_.run("\"$train\" " + parallelspec() + " --work one").status, 0);
  for (const int count : {2, 4}) {
    const std::string work = fmt::format("of{}", count);
    const std::string statuses = together(count, parallelspec() + " --workers meet --work " + work);
    EXPECT_EQ(statuses.find_first_not_of("0 "), std::string::npos) << said(0) << said(1);
    EXPECT_EQ(hash(work), hash("one")) << count;
  }
  ASSERT_EQ(together(2, parallelspec() + " --workers meet --work w --cache states"), "2 2");
  EXPECT_NE(said(0).find("--cache states: expected the states of all traces with --workers"),
            std::string::npos)
      << said(0);
}

TEST_F(TrainWorkers, EndWithTheLauncherToldWhenOneOfThemIsKilledOrHangs) {
  const std::string run = draft(60) + " --checkpoint-minutes 0 --workers meet ";
  ASSERT_EQ(shell_.run("\"$train\" " + draft(60) + " --work one").status, 0);
  const auto after = [](const std::string& work, const std::string& command) {
    return "wait_for " + work + "/metrics.jsonl gradient_norm 3; " + command + "; ";
  };
  EXPECT_EQ(together(2, run + "--work w", after("w", "kill -KILL $pid1")), "75 137") << said(0);
  EXPECT_NE(said(0).find("worker 0 of 2: worker 1 has ended or did not answer for 45 s; when all "
                         "are started again, the run goes on from its checkpoint"),
            std::string::npos)
      << said(0);
  EXPECT_EQ(together(4, run + "--work w --workers-timeout 4", after("w", "kill -KILL $pid0"))
                .substr(0, 3),
            "137");
  EXPECT_EQ(
      together(2, run + "--work w --workers-timeout 3",
               "wait_for w/metrics.jsonl gradient_norm 5; kill -STOP $pid1; wait $pid0; kill -KILL "
               "$pid1; "),
      "75 137")
      << said(0);
  ASSERT_EQ(together(2, run + "--work w"), "0 0") << said(0) << said(1);
  EXPECT_EQ(hash("w"), hash("one"));
}

TEST_F(TrainWorkers, StopTogetherWhenOneIsInterrupted) {
  const std::string run = draft(60) + " --workers meet --work w";
  EXPECT_EQ(together(2, run, "wait_for w/metrics.jsonl gradient_norm 3; kill -INT $pid1; "),
            "130 130")
      << said(0) << said(1);
  EXPECT_EQ(shell_.run("\"$train\" " + draft(60) + " --work w").status, 0);
  ASSERT_EQ(shell_.run("\"$train\" " + draft(60) + " --work one").status, 0);
  EXPECT_EQ(hash("w"), hash("one"));
}

TEST_F(TrainWorkers, AreRefusedBeforeTheyTrain) {
  const std::string run = draft() + " --work w --workers meet ";
  const auto says = [&](const std::string& flags, const std::string& text,
                        const std::string& environment = "RANK=0 WORLD_SIZE=2 ") {
    expect_refusal(shell_.run(environment + "\"$train\" " + run + flags), text);
  };
  says("", "--workers meet: expected a launcher's variables, found none of", "");
  says("", "RANK is set and WORLD_SIZE is not", "RANK=0 ");
  says("", "3 workers: expected a power of two", "RANK=0 WORLD_SIZE=3 ");
  says("", "--accumulate 4: expected a power of two that 8 workers divide", "RANK=0 WORLD_SIZE=8 ");
  expect_refusal(
      shell_.run("RANK=0 WORLD_SIZE=2 \"$train\" " + draft() + " --work w --workers h:0"),
      "--workers h:0: expected a port from 1 to 65535");
  says("--finish", "--workers: not with --finish");
  expect_refusal(shell_.run("\"$train\" " + draft() + " --work w --mixed-arithmetic"),
                 "--mixed-arithmetic: only with --workers");

  const auto unlike = [&](const std::string& second) {
    return shell_
        .run("RANK=0 WORLD_SIZE=2 \"$train\" " + run +
             " 2> err0 & RANK=1 WORLD_SIZE=2 \"$train\" " + second +
             " 2> err1; echo $?; wait $!; echo $?")
        .out;
  };
  EXPECT_EQ(unlike(run + "--seed 4"), "2\n2\n");
  for (const int rank : {0, 1})
    EXPECT_NE(said(rank).find("workers 0 and 1 differ in run/training/seed: 0 and 4; expected the "
                              "same command"),
              std::string::npos)
        << said(rank);
  std::string on_two = run;
  on_two.replace(on_two.find("-t 1"), 4, "-t 2");
  EXPECT_EQ(unlike(on_two), "2\n2\n");
  EXPECT_NE(said(0).find("differ in arithmetic: \"1 threads, "), std::string::npos) << said(0);
  EXPECT_NE(said(0).find("--mixed-arithmetic, with which the bits depend"), std::string::npos);
  EXPECT_EQ(shell_.run("ls w/*.h5").out, "");
  const Outcome mixed = shell_.run("RANK=0 WORLD_SIZE=2 \"$train\" " + run +
                                   "--mixed-arithmetic & RANK=1 WORLD_SIZE=2 \"$train\" " + on_two +
                                   " --mixed-arithmetic; echo $?; wait $!; echo $?");
  EXPECT_EQ(mixed.out, "0\n0\n") << mixed.err;
}

TEST_F(TrainWorkers, SayWhoDidNotComeAndThatAPortIsTaken) {
  const std::string run = "\"$train\" " + draft() + " --work w --workers-timeout 1 --workers ";
  const Outcome alone = shell_.run("RANK=0 WORLD_SIZE=4 " + run + "meet");
  EXPECT_EQ(alone.status, 75);
  EXPECT_NE(alone.err.find("--workers meet: worker 1, 2, 3 did not come within 1 s"),
            std::string::npos)
      << alone.err;
  const Outcome no_interface =
      shell_.run("GLOO_SOCKET_IFNAME=none7 RANK=0 WORLD_SIZE=4 " + run + "meet");
  EXPECT_EQ(no_interface.status, 2);
  EXPECT_NE(no_interface.err.find(
                "GLOO_SOCKET_IFNAME=none7: expected a network interface of this host: lo"),
            std::string::npos)
      << no_interface.err;
  const std::string port = "port=$((20000 + $$ % 20000)); ";
  const Outcome first = shell_.run(port + "RANK=0 WORLD_SIZE=2 " + run + "127.0.0.1:$port");
  EXPECT_EQ(first.status, 75);
  EXPECT_NE(first.err.find("--workers: of 2 workers these did not come within 1 s: 1"),
            std::string::npos)
      << first.err;
  const Outcome second = shell_.run(port + "RANK=1 WORLD_SIZE=2 " + run + "127.0.0.1:$port");
  EXPECT_EQ(second.status, 75);
  EXPECT_NE(second.err.find("--workers: worker 0 was not found at 127.0.0.1:"), std::string::npos)
      << second.err;
  EXPECT_EQ(second.err.find("frame #"), std::string::npos) << "LibTorch's own:\n" << second.err;
  const Outcome taken = shell_.run(
      port +
      "python3 -c 'import socket,sys,time; s=socket.socket(socket.AF_INET6); "
      "s.bind((\"::\",int(sys.argv[1]))); s.listen(); print(flush=True); time.sleep(60)' $port "
      "> listens & pid=$!; until [ -s listens ]; do sleep 0.05; done; RANK=0 WORLD_SIZE=2 " +
      run + "127.0.0.1:$port; status=$?; kill $pid; exit $status");
  EXPECT_EQ(taken.status, 2);
  EXPECT_NE(taken.err.find("is taken by another program; give another one to all workers"),
            std::string::npos)
      << taken.err;
}

#ifdef OUTRIDER_TRAIN_ON_CARDS
/// The same on cards, which a device of the tests' and a library in place of NCCL stand in for.
class TrainWorkersOnCards : public TrainWorkers {
 protected:
  void SetUp() override {
    TrainWorkers::SetUp();
    shell_.run("mkdir sent");
  }

  static std::string flags(const std::string& work, int steps = 20) {
    return draft(steps) + " --precision f32 --device cuda --work " + work;
  }
  /// Runs so many workers. @param of_last  what the last one has in its environment besides
  std::string on_cards(int count, const std::string& arguments,
                       const std::string& of_last = "") const {
    std::string command =
        fmt::format("export OUTRIDER_NCCL='{}' STAND_IN=sent; train='{}'; rm -f sent/*; ",
                    OUTRIDER_NCCL_STAND_IN, OUTRIDER_TRAIN_ON_CARDS);
    std::string end;
    for (int rank = 0; rank < count; ++rank) {
      command += fmt::format(
          "RANK={0} WORLD_SIZE={1} LOCAL_RANK={0} {2} \"$train\" {3} --workers meet 2> err{0} & "
          "pid{0}=$!; ",
          rank, count, rank == count - 1 ? of_last : "", arguments);
      end += fmt::format("wait $pid{}; all=\"$all$? \"; ", rank);
    }
    std::string statuses = shell_.run(command + end + "echo $all").out;
    while (!statuses.empty() && statuses.back() == '\n') statuses.pop_back();
    return statuses;
  }
  /// Two workers end with these statuses, and say these texts.
  void expect_end(const std::string& statuses, const std::string& arguments,
                  const std::string& of_last, const std::string& first,
                  const std::string& last = "") const {
    EXPECT_EQ(on_cards(2, arguments, of_last), statuses) << of_last << said(0) << said(1);
    EXPECT_NE(said(0).find(first), std::string::npos) << of_last << said(0);
    EXPECT_NE(said(1).find(last), std::string::npos) << of_last << said(1);
  }
};

TEST_F(TrainWorkersOnCards, GiveTheBitsOfOneProcessByNcclAndByGloo) {
  ASSERT_EQ(shell_.run("train='" OUTRIDER_TRAIN_ON_CARDS "'; \"$train\" " + flags("one")).status,
            0);
  ASSERT_EQ(on_cards(2, flags("two") + " --exchange gloo"), "0 0") << said(0) << said(1);
  EXPECT_EQ(hash("two"), hash("one"));
  EXPECT_EQ(last_step("two")["exchange"], "gloo");
  for (const int count : {2, 4}) {
    const std::string work = fmt::format("nccl{}", count);
    const std::string statuses = on_cards(count, flags(work));
    EXPECT_EQ(statuses.find_first_not_of("0 "), std::string::npos) << said(0) << said(1);
    EXPECT_EQ(hash(work), hash("one")) << count;
    EXPECT_EQ(last_step(work)["exchange"], "nccl");
    EXPECT_EQ(shell_.run("ls sent | grep -vc -e '-[0-9]*-[0-9]*-[0-9]*-[0-9]*$'").out,
              fmt::format("{}\n", count))
        << "each has met the others, and nothing is left";
  }
  EXPECT_EQ(exchanged_bytes("nccl2"), exchanged_bytes("two"));
  // Another number of workers, and another exchange, go on with it.
  std::string half = flags("changing");
  ASSERT_EQ(on_cards(2, half + " --minutes 0.0000001"), "0 0") << said(0);
  ASSERT_EQ(on_cards(4, half + " --exchange gloo"), "0 0 0 0") << said(0);
  EXPECT_EQ(hash("changing"), hash("one"));
}

TEST_F(TrainWorkersOnCards, SayHowGradientsGo) {
  int runs = 0;
  const auto told = [&](const std::string& arguments, const std::string& of_last,
                        const std::string& text) {
    std::string loud = flags(fmt::format("w{}", runs++), 1) + arguments;
    loud.erase(loud.find("--quiet"), 7);
    EXPECT_EQ(on_cards(2, loud, of_last), "0 0") << said(0) << said(1);
    EXPECT_NE(said(0).find("--exchange: gradients go by " + text), std::string::npos) << said(0);
  };
  told("", "", "NCCL 2.28.9, " OUTRIDER_NCCL_STAND_IN);
  told(" --exchange gloo", "", "Gloo, through the hosts' memory\n");
  told("", "SEPARATE_CARD=GPU-0",
       "Gloo, through the hosts' memory: workers 0 and 1 train on one card, GPU-0");
  told("", "OUTRIDER_NCCL=none.so",
       "Gloo, through the hosts' memory: worker 1: NCCL was not found (none.so: cannot open");
}

TEST_F(TrainWorkersOnCards, AreRefusedWhereNcclWouldFail) {
  const std::string run = flags("w") + " --exchange nccl";
  const auto refused = [&](const std::string& of_last, const std::string& text) {
    expect_end("2 2", run, of_last, text, text);
  };
  refused(
      "SEPARATE_CARD=GPU-0",
      "--exchange nccl: workers 0 and 1 train on one card, GPU-0, which NCCL refuses: give each "
      "its own by --device cuda:N or CUDA_VISIBLE_DEVICES");
  refused("OUTRIDER_NCCL=none.so",
          "--exchange nccl: worker 1: NCCL was not found (none.so: cannot open");
  for (const int rank : {0, 1})
    EXPECT_NE(said(rank).find("libnccl.so.2 of PyPI's nvidia-nccl-cu13"), std::string::npos)
        << said(rank);
  refused("OUTRIDER_NCCL=libm.so.6", "has no ncclGetVersion; expected NCCL 2.14.0 or later");
  refused("STAND_IN_FAULT=old",
          "is NCCL 2.8.4; expected 2.14.0 or later: give another in OUTRIDER_NCCL");
  refused("STAND_IN_FAULT=newer", "workers 0 and 1 have NCCL 2.28.9 and 2.29.7: give the same");
  EXPECT_EQ(on_cards(2, draft() + " --work w --exchange nccl"), "2 2");
  EXPECT_NE(said(1).find("--exchange nccl: worker 0 trains on the processor: give --device cuda"),
            std::string::npos)
      << said(1);
  EXPECT_EQ(together(2, draft() + " --work w --workers meet --exchange nccl"), "2 2");
  EXPECT_NE(said(0).find("worker 0 trains on the processor"), std::string::npos) << said(0);
  expect_refusal(shell_.run("\"$train\" " + draft() + " --work w --exchange gloo"),
                 "--exchange: only with --workers");
}

TEST_F(TrainWorkersOnCards, EndWithTheLauncherToldWhenNcclFailsOrHangs) {
  ASSERT_EQ(shell_.run("train='" OUTRIDER_TRAIN_ON_CARDS "'; \"$train\" " + flags("one")).status,
            0);
  const std::string run = flags("w") + " --checkpoint-minutes 0 --workers-timeout 5";
  expect_end(
      "75 75", run, "STAND_IN_FAULT=init-hangs",
      "worker 0 of 2 could not connect its card to the others within 5 s: NCCL: it took too long",
      "worker 1 of 2 could not connect its card");
  expect_end("75 2", run, "STAND_IN_FAULT=init-error", "worker 0 of 2 could not connect",
             "NCCL: unhandled system error, the stand-in says so; NCCL_DEBUG=INFO tells more, and "
             "--exchange gloo does without NCCL");
  expect_end("75 75", run, "STAND_IN_FAULT=send-hangs",
             "worker 0 of 2: worker 1 has ended or did not answer for 5 s; when all are started "
             "again, the run goes on from its checkpoint (NCCL: it took too long)",
             "worker 1 of 2: worker 0 has ended or did not answer for 5 s");
  expect_end("75 75", run, "STAND_IN_FAULT=remote-error", "worker 0 of 2: worker 1 has ended",
             "(NCCL: remote process exited or there was a network error");
  expect_end("75 75", run, "STAND_IN_FAULT=abort-hangs", "worker 0 of 2: worker 1 has ended",
             "worker 1 of 2: worker 0 has ended");
  ASSERT_EQ(on_cards(2, flags("w")), "0 0") << said(0) << said(1);
  EXPECT_EQ(hash("w"), hash("one"));
}
#endif

}  // namespace
}  // namespace outrider::test
