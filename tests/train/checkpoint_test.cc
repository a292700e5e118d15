#include "train/checkpoints/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <span>

#include "runtime/base/atomic_file.h"
#include "runtime/hdf5/checksum.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::train {
namespace {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

Checkpoint example() {
  Checkpoint checkpoint;
  checkpoint.identity = {{"objective", {{"layers", {1, 30}}}}, {"learning-rate", 0.1}};
  checkpoint.recipe = "[draft]\nsteps = 9\n";
  checkpoint.step = 7;
  checkpoint.steps = 9;
  checkpoint.optimiser_steps = 6;
  checkpoint.tokens = 12345678901;
  checkpoint.seconds = 0.1 + 0.2;
  checkpoint.best = {1.0 / 3, 5};
  checkpoint.worse_since = 2;
  checkpoint.metrics_bytes = 77;
  checkpoint.last = {{"step", {{"loss", 2.5}}}};
  checkpoint.arithmetic = "2 threads";
  checkpoint.streams = {{{0, 2, 5}, "abc", 1, 17}, {{1}, "def", 0, 3}};
  checkpoint.parameters = {
      {"a",
       {3, 4},
       random_floats(12, 1),
       random_floats(12, 2),
       random_floats(12, 3),
       random_floats(12, 4)},
      {"b", {5}, random_floats(5, 5), random_floats(5, 6), random_floats(5, 7), {}}};
  return checkpoint;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Checkpoint, IsReadAsItWasWritten) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "checkpoint.h5";
  Checkpoint checkpoint = example();
  write_checkpoint(path, checkpoint);
  EXPECT_EQ(read_checkpoint(path), checkpoint);
  checkpoint.step = 8;
  checkpoint.best.reset();
  write_checkpoint(path, checkpoint);
  EXPECT_EQ(read_checkpoint(path), checkpoint);
}

TEST(Checkpoint, IsRefusedWhenDamagedAnywhere) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "checkpoint.h5";
  write_checkpoint(path, example());
  const std::string bytes = bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_file_atomically(path, damaged);
    test::expect_input_error([&] { read_checkpoint(path); }, "checkpoint.h5",
                             "remove it to start anew");
  }
}

/// The bytes that a checksum is of.
std::string without_checksum(const std::string& bytes) {
  return bytes.substr(hdf5::kChecksumBytes);
}

/// Writes bytes with the checksum that they have.
void write_as_sound(const std::filesystem::path& path, const std::string& content) {
  const auto content_bytes = std::as_bytes(std::span(content));
  std::vector<std::byte> file(content_bytes.begin(), content_bytes.end());
  hdf5::add_checksum(file);
  write_file_atomically(path, {reinterpret_cast<const char*>(file.data()), file.size()});
}

TEST(Checkpoint, WithoutAChecksumIsRefused) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "checkpoint.h5";
  write_checkpoint(path, example());
  write_file_atomically(path, without_checksum(bytes_of(path)));
  test::expect_input_error([&] { read_checkpoint(path); }, "which begins with a checksum",
                           "remove it to start anew");
}

TEST(Checkpoint, IsRefusedWhenItsContentWasDamagedBeforeItsChecksum) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "checkpoint.h5";
  write_checkpoint(path, example());
  const std::string bytes = without_checksum(bytes_of(path));
  std::mt19937_64 random(9);
  int refused = 0, harmless = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string damaged = bytes;
    damaged[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    write_as_sound(path, damaged);
    try {
      // Padding between datasets may change.
      EXPECT_EQ(read_checkpoint(path), example());
      ++harmless;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("checkpoint.h5"), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 30);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_as_sound(path, bytes.substr(0, length));
    test::expect_input_error([&] { read_checkpoint(path); }, "checkpoint.h5",
                             "remove it to start anew");
  }
}

TEST(Checkpoint, TellsADamagedNumber) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "checkpoint.h5";
  const Checkpoint checkpoint = example();
  write_checkpoint(path, checkpoint);
  std::string bytes = without_checksum(bytes_of(path));
  const std::string number(reinterpret_cast<const char*>(checkpoint.parameters[0].second.data()),
                           12);
  bytes[bytes.find(number) + 5] ^= 1;
  write_as_sound(path, bytes);
  test::expect_input_error([&] { read_checkpoint(path); }, "damaged: expected hash");
}

TEST(Checkpoint, HashesWhatWasComputedAndNotWhen) {
  const Checkpoint one = example();
  Checkpoint other = one;
  other.seconds = 5;
  other.metrics_bytes = 9;
  other.arithmetic = "";
  EXPECT_EQ(state_hash(one), state_hash(other));
  EXPECT_EQ(weights_hash(one), weights_hash(other));
  other.parameters[1].second[2] += 1;
  EXPECT_NE(state_hash(one), state_hash(other));
  EXPECT_EQ(weights_hash(one), weights_hash(other));
  other = one;
  other.parameters[0].value[0] += 1;
  EXPECT_NE(weights_hash(one), weights_hash(other));
  other = one;
  other.streams[1].trace += 1;
  EXPECT_NE(state_hash(one), state_hash(other));
}

TEST(Checkpoint, IsContinuedWithTheSameIdentityOnly) {
  const nlohmann::json saved = example().identity;
  check_continues("c.h5", saved, saved);
  nlohmann::json now = saved;
  now["learning-rate"] = 0.2;
  test::expect_input_error([&] { check_continues("c.h5", saved, now); },
                           "c.h5: learning-rate was 0.1 and is now 0.2", "another --work");
  now = saved;
  now["objective"].erase("layers");
  test::expect_input_error([&] { check_continues("c.h5", saved, now); },
                           "objective/layers was [1,30] and is now absent");
}

}  // namespace
}  // namespace outrider::train
