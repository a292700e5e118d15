#include "train/workers/workers.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "runtime/base/atomic_file.h"
#include "runtime/base/hash.h"
#include "runtime/base/try_again.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/train/thread_workers.h"
#include "tests/train/toy_training.h"
#include "train/trainer/parameter_state.h"
#include "train/workers/agreement.h"
#include "train/workers/meeting.h"
#include "train/workers/meeting_folder.h"
#include "train/workers/tree_sum.h"

namespace outrider::train {
namespace {

using test::expect_input_error;
using test::run_workers;

TEST(Workers, GatherWhatEachHasToSay) {
  for (const int count : {1, 2, 4, 8}) {
    std::vector<std::string> expected;
    for (int rank = 0; rank < count; ++rank)
      expected.push_back(std::string(static_cast<std::size_t>(rank * 7 % 5), 'a') + "x");
    run_workers(count, [&](Workers& workers) {
      EXPECT_EQ(workers.gather(expected[static_cast<std::size_t>(workers.rank())]), expected);
      EXPECT_EQ(workers.any(workers.rank() == count - 1 ? 4u : 1u), count == 1 ? 4u : 5u);
      std::vector<std::byte> bytes(5, std::byte(workers.rank()));
      workers.broadcast(bytes);
      EXPECT_EQ(bytes, std::vector<std::byte>(5));
    });
  }
}

/// Parameters whose gradients can be set.
struct Gradients {
  Gradients() {
    for (const std::int64_t size : {3, 1, 1001}) {
      parameters.push_back({"p", at::full({size}, 0.0), false});
      parameters.back().value.mutable_grad() = at::full({size}, 0.0);
    }
  }
  /// Makes them those of a batch.
  void set(int batch) {
    std::minstd_rand random(static_cast<unsigned>(batch + 1));
    for (const Parameter& parameter : parameters) {
      float* const numbers = parameter.value.mutable_grad().mutable_data_ptr<float>();
      for (std::int64_t i = 0; i < parameter.value.numel(); ++i)
        numbers[i] += std::normal_distribution<float>(0, 1)(random);
    }
  }
  std::string hash() const {
    Hasher hasher;
    for (const Parameter& parameter : parameters)
      hasher.add(std::as_bytes(std::span(parameter.value.grad().const_data_ptr<float>(),
                                         static_cast<std::size_t>(parameter.value.numel()))));
    return hasher.hex();
  }
  std::vector<Parameter> parameters;
};

StepLoss loss_of(int batch) { return {0.1 * batch + 1e-9 * batch * batch, batch}; }

/// The node [first, first + leaves) of the tree by its definition: first number of the last parameter.
float node(int first, int leaves) {
  if (leaves > 1) return node(first, leaves / 2) + node(first + leaves / 2, leaves / 2);
  Gradients gradients;
  gradients.set(first);
  return gradients.parameters[2].value.grad().const_data_ptr<float>()[0];
}

TEST(TreeSum, IsThatOfItsDefinitionForAnyNumberOfWorkers) {
  constexpr int kBatches = 16;
  std::set<std::string> hashes, losses;
  for (const int count : {1, 2, 4, 8, 16}) {
    const std::int64_t sent = run_workers(count, [&](Workers& workers) {
      Gradients own;
      TreeSum tree(own.parameters);
      for (int step = 0; step < 2; ++step) {  // the second with buffers of the first
        for (const Parameter& parameter : own.parameters) parameter.value.mutable_grad().zero_();
        const int leaves = kBatches / count, first = workers.rank() * leaves;
        for (int batch = first; batch < first + leaves; ++batch) {
          own.set(batch);
          tree.add(loss_of(batch));
        }
        const StepLoss sum = sum_over(workers, own.parameters, tree.finish());
        EXPECT_EQ(own.parameters[2].value.grad().const_data_ptr<float>()[0], node(0, kBatches));
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        hashes.insert(own.hash());
        losses.insert(std::to_string(std::bit_cast<std::uint64_t>(sum.loss)));
        EXPECT_EQ(sum.tokens, kBatches * (kBatches - 1) / 2);
      }
    });
    // Each worker sends less than twice the gradients a step, apart from the losses.
    EXPECT_LE(sent, 2 * count * (2 * 1005 * 4 + 16 * 8)) << count;
  }
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_EQ(losses.size(), 1u);
}

TEST(TreeSum, OfOtherThanAPowerOfTwoIsAMistake) {
  Gradients gradients;
  TreeSum tree(gradients.parameters);
  for (int batch = 0; batch < 3; ++batch) tree.add(loss_of(batch));
  EXPECT_THROW(tree.finish(), std::logic_error);
}

TEST(Agreement, NamesTheFirstDifference) {
  run_workers(4, [](Workers& workers) {
    nlohmann::json facts = {{"arithmetic", "2 threads"}, {"run", {{"batch", 4}}}};
    check_alike(workers, facts);
    nlohmann::json other = facts;
    if (workers.rank() == 2) other["run"]["batch"] = 8;
    expect_input_error([&] { check_alike(workers, other); },
                       "workers 0 and 2 differ in run/batch: 4 and 8; expected the same command");
    other = facts;
    if (workers.rank() == 3) other["arithmetic"] = "1 threads";
    expect_input_error([&] { check_alike(workers, other); },
                       "workers 0 and 3 differ in arithmetic: \"2 threads\" and \"1 threads\"",
                       "--mixed-arithmetic");
    check_same_weights(workers, "a", 100);
    try {
      check_same_weights(workers, workers.rank() % 2 == 0 ? "a" : "b", 100);
      ADD_FAILURE() << "expected CheckFailed";
    } catch (const CheckFailed& failed) {
      EXPECT_NE(std::string(failed.what()).find("step 100: the weights of workers 1, 3 are not"),
                std::string::npos)
          << failed.what();
    }
  });
}

TEST(Agreement, GivesTheNumberOfBatchesToAskFor) {
  for (const int batches : {2, 4, 8}) check_divisible(batches, 2);
  check_divisible(4, 4);
  expect_input_error([] { check_divisible(1, 2); }, "--accumulate 1: expected a power of two that",
                     "give --accumulate 2");
  expect_input_error([] { check_divisible(6, 4); }, "give --accumulate 8");
  expect_input_error([] { check_divisible(2, 4); }, "give --accumulate 4");
  expect_input_error([] { check_divisible(8, 3); }, "3 workers: expected a power of two");
}

TEST(Meeting, IsAPortOrAFolder) {
  const auto of = [](std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
  };
  EXPECT_EQ(read_meeting("host7:29500").host, "host7");
  EXPECT_EQ(read_meeting("host7:29500").port, 29500);
  EXPECT_EQ(read_meeting("/shared/run:1").folder, "/shared/run:1");
  EXPECT_EQ(read_meeting("meet").folder, "meet");
  const Meeting found = read_meeting("auto", of({{"MASTER_ADDR", "h"}, {"MASTER_PORT", "99"}}));
  EXPECT_EQ(found.host, "h");
  EXPECT_EQ(found.port, 99);
  EXPECT_FALSE(found.has_server);
  const Meeting of_torchrun = read_meeting("auto", of({{"MASTER_ADDR", "h"},
                                                       {"MASTER_PORT", "99"},
                                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                       {"TORCHELASTIC_RESTART_COUNT", "3"}}));
  EXPECT_TRUE(of_torchrun.has_server);
  EXPECT_EQ(of_torchrun.attempt, "3");
  expect_input_error(
      [&] {
        read_meeting("auto", of({{"MASTER_ADDR", "h"}}));
      },
      "--workers auto: expected MASTER_ADDR and MASTER_PORT");
  expect_input_error(
      [&] {
        read_meeting("auto", of({{"MASTER_ADDR", "h"}, {"MASTER_PORT", "x"}}));
      },
      "MASTER_PORT: expected a port from 1 to 65535, found 'x'");
  expect_input_error([] { read_meeting("h:70000"); }, "expected a port from 1 to 65535");
  expect_input_error([] { read_meeting("-"); }, "--workers: expected auto, HOST:PORT");
}

TEST(MeetingFolder, BringsThoseOfOneStartTogether) {
  const test::TemporaryFolder folder;
  std::set<std::string> files;
  for (int start = 0; start < 3; ++start) {
    const auto path = folder.path() / "meet";
    if (start > 0) {
      // Of a start that was killed while its workers met.
      for (const char* name : {"worker-1.here", "worker-1.read", "worker-2.here", "worker-3.read"})
        write_file_atomically(path / name, "old");
      write_file_atomically(path / "answer", "gone\nold\nold\nold");
    }
    std::vector<std::string> found(4);
    run_workers(4, [&](Workers& workers) {
      const int rank = workers.rank();
      // The last one comes late, the first one in the middle.
      std::this_thread::sleep_for(std::chrono::milliseconds(rank == 0 ? 50 : rank == 2 ? 200 : 0));
      found[static_cast<std::size_t>(rank)] =
          meet_in_folder(path, rank, 4, std::chrono::seconds(20)).string();
    });
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 1u);
    EXPECT_FALSE(std::filesystem::exists(found[0]));
    files.insert(found[0]);
  }
  EXPECT_EQ(files.size(), 3u);
}

TEST(MeetingFolder, NamesWhoDidNotCome) {
  const test::TemporaryFolder folder;
  const auto says = [&](int rank, const std::string& text) {
    try {
      meet_in_folder(folder.path(), rank, 3, std::chrono::milliseconds(100));
      ADD_FAILURE() << "expected TryAgain";
    } catch (const TryAgain& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  says(0, "worker 1, 2 did not come within 0 s");
  says(1, "worker 0 did not come");
}

/// Runs of the toy objective by several workers.
class TrainingTogether : public test::ToyTraining {
 protected:
  TrainingTogether() {
    options_.batch = 2;
    options_.accumulate = 4;
    options_.validate_every = 7;
  }

  /// Goes on with `saved` with so many workers until a step; then `saved` is worker 0's checkpoint.
  void run(int workers, std::int64_t until, std::optional<Checkpoint>& saved) {
    const std::optional<Checkpoint> before = saved;
    run_workers(workers, [&](Workers& together) {
      TraceMix mix = this->mix();
      MetricsFile metrics("", 0);
      test::ToyObjective objective;
      std::int64_t step = before ? before->step : 0;
      TrainingWatch watch;
      watch.on_step = [&](const StepReport& report) { step = report.step; };
      // One worker's signal is enough.
      watch.interrupted = [&] { return together.rank() == workers - 1 && step >= until; };
      Trainer trainer(objective, mix, validation_, options_, {}, metrics, watch,
                      workers == 1 ? nullptr : &together);
      if (before) trainer.resume(*before);
      const Ending ending = trainer.run();
      EXPECT_EQ(ending, until < 20 ? Ending::kInterrupted : Ending::kFinished);
      if (together.rank() == 0) saved = trainer.state();
    });
  }
};

TEST_F(TrainingTogether, GivesTheBitsOfOneProcessWhateverTheirNumber) {
  std::optional<Checkpoint> alone;
  run(1, 20, alone);
  for (const int workers : {2, 4}) {
    std::optional<Checkpoint> together;
    run(workers, 20, together);
    EXPECT_EQ(state_hash(*together), state_hash(*alone)) << workers;
    EXPECT_EQ(weights_hash(*together), weights_hash(*alone)) << workers;
  }
  // The number changes twice on the way.
  std::optional<Checkpoint> changing;
  run(4, 6, changing);
  run(1, 11, changing);
  run(2, 20, changing);
  EXPECT_EQ(state_hash(*changing), state_hash(*alone));
}

TEST_F(TrainingTogether, SumsATreeOnlyWhereThereIsOne) {
  EXPECT_EQ(json_of(options_).value("sum", ""), "tree");
  for (const int batches : {1, 6}) {
    options_.accumulate = batches;
    EXPECT_FALSE(json_of(options_).contains("sum"));
  }
}

TEST_F(TrainingTogether, ReadsWhatItsOwnAreAndNoOthers) {
  TraceMix all(stores_, {.seed = 5}), own(stores_, {.seed = 5});
  for (int i = 0; i < 40; ++i) {
    const std::vector<data::Trace> expected = all.next(5);
    own.skip(2);
    const std::vector<data::Trace> read = own.next(1);
    own.skip(2);
    EXPECT_EQ(read[0].id, expected[2].id);
    EXPECT_EQ(read[0].output_tokens, expected[2].output_tokens);
    EXPECT_EQ(own.positions(), all.positions());
  }
}

}  // namespace
}  // namespace outrider::train
