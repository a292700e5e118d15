#include "runtime/artifacts/artifact_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <numeric>

#include "runtime/artifacts/replace_group.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/dataset_paths.h"
#include "runtime/model/identity.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::artifacts {
namespace {

const TargetIdentity kTarget = {"mine.gguf", "aaaa", "bbbb", 274, 64, 2};

std::vector<std::int32_t> counted(int count) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

FillGroup numbers(int count) {
  return [count](hdf5::Writer& file, const std::string& group) {
    const auto values = counted(count);
    file.add<std::int32_t>(group + "/numbers", {values.size()}, values, hdf5::Packing::kPacked);
    file.add_text(group + "/words", "one two");
  };
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Artifact : public testing::Test {
 protected:
  void write(const std::string& group, int count) const {
    replace_group(path_, kTarget, group,
                  {"tool " + group, "[tool]\na = 1\n", 7, "traces", "a processor, avx2"},
                  numbers(count));
  }
  std::vector<std::int32_t> read(const std::string& group) const {
    return ArtifactFile(path_).reader().read<std::int32_t>(group + "/numbers",
                                                           {hdf5::Reader::kAny});
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "deep" / "mine.h5";
};

TEST_F(Artifact, HoldsWhatWasWrittenAndHowItCameAbout) {
  write("/ngrammys", 1000);
  const ArtifactFile file(path_);
  EXPECT_EQ(difference(file.target(), kTarget), "");
  EXPECT_EQ(file.target().name, "mine.gguf");
  EXPECT_EQ(file.groups(), std::vector<std::string>{"/ngrammys"});
  EXPECT_EQ(read("/ngrammys"), counted(1000));
  const Provenance how = read_provenance(file.reader(), "/ngrammys");
  EXPECT_EQ(how.command, "tool /ngrammys");
  EXPECT_EQ(how.options, "[tool]\na = 1\n");
  EXPECT_EQ(how.seed, 7U);
  EXPECT_EQ(how.traces, "traces");
  EXPECT_EQ(how.place, "a processor, avx2");
  EXPECT_EQ(how.date.size(), std::string("2026-01-31T23:59:59Z").size());
  EXPECT_NE(how.code_version.find(", commit "), std::string::npos) << how.code_version;
}

TEST_F(Artifact, AToolReplacesItsOwnGroupAndNothingElse) {
  write("/cost/one", 10);
  write("/cost/one_more", 11);
  write("/ngrammys", 12);
  const Provenance before = read_provenance(ArtifactFile(path_).reader(), "/cost/one_more");
  write("/cost/one", 20);
  const ArtifactFile file(path_);
  EXPECT_EQ(file.groups(), (std::vector<std::string>{"/cost/one", "/cost/one_more", "/ngrammys"}));
  EXPECT_EQ(read("/cost/one"), counted(20));
  EXPECT_EQ(read("/cost/one_more"), counted(11));
  EXPECT_EQ(read("/ngrammys"), counted(12));
  EXPECT_EQ(file.reader().read_text("/ngrammys/words", 100), "one two");
  EXPECT_EQ(read_provenance(file.reader(), "/cost/one_more").date, before.date);
}

TEST_F(Artifact, HasNoResultAboveItsGroups) {
  hdf5::Writer file;
  write_target(kTarget, file);
  write_provenance({}, "", file);
  write_provenance({}, "/one", file);
  EXPECT_EQ(ArtifactFile(hdf5::Reader(file.finish(), "mine.h5")).groups(),
            std::vector<std::string>{"/one"});
}

TEST_F(Artifact, StaysAsItWasWhenAToolFails) {
  write("/ngrammys", 5);
  const std::string before = bytes_of(path_);
  const auto fails = [](hdf5::Writer&, const std::string&) { throw std::runtime_error("no"); };
  EXPECT_THROW(replace_group(path_, kTarget, "/ngrammys", {}, fails), std::runtime_error);
  EXPECT_EQ(bytes_of(path_), before);
}

TEST_F(Artifact, ToolsThatWriteAtOnceLoseNothing) {
  constexpr int kTools = 6;
  std::vector<pid_t> tools;
  for (int tool = 0; tool < kTools; ++tool) {
    tools.push_back(::fork());
    if (tools.back() == 0) {
      for (int i = 0; i < 5; ++i) write("/tool" + std::to_string(tool), 100 + i);
      ::_exit(0);
    }
  }
  for (const pid_t tool : tools) {
    int status = -1;
    ::waitpid(tool, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(ArtifactFile(path_).groups().size(), static_cast<std::size_t>(kTools));
}

TEST_F(Artifact, OfAnotherTargetIsRefusedByName) {
  write("/ngrammys", 5);
  TargetIdentity other = kTarget;
  other.name = "other.gguf";
  other.model_hash = "cccc";
  const auto check = [&] { ArtifactFile(path_).check_made_for(other); };
  test::expect_input_error(check, "mine.h5", "made for the model mine.gguf (aaaa)",
                           "not for other.gguf (cccc)", "tokenizers are the same");
  other.tokenizer_hash = "dddd";
  test::expect_input_error(check, "tokenizers are different too");
  test::expect_input_error([&] { replace_group(path_, other, "/ngrammys", {}, numbers(1)); },
                           "made for the model mine.gguf");
  EXPECT_EQ(read("/ngrammys"), counted(5));
}

TEST_F(Artifact, OfAnotherTokenizerIsRefused) {
  write("/ngrammys", 5);
  TargetIdentity other = kTarget;
  other.tokenizer_hash = "dddd";
  test::expect_input_error([&] { ArtifactFile(path_).check_made_for(other); },
                           "made for the tokenizer bbbb", "not for dddd");
}

TEST_F(Artifact, IdentityIsThatOfTheModelFile) {
  const auto path = test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 1,
                                           model::WeightType::kQ8_0);
  const model::Model model = model::load_model(path);
  const TargetIdentity identity = identity_of(model);
  EXPECT_EQ(identity.name, "tiny.gguf");
  EXPECT_EQ(identity.model_hash, model::model_hash(model));
  EXPECT_EQ(identity.vocab, 274);
  EXPECT_EQ(identity.layers, 2);
}

TEST_F(Artifact, FilesThatAreNoneAreRefused) {
  const auto open = [&] { ArtifactFile{path_}; };
  test::expect_input_error(open, "mine.h5");
  std::filesystem::create_directories(path_.parent_path());
  std::ofstream(path_) << "no HDF5";
  test::expect_input_error(open, "is not an HDF5 file");
  hdf5::Writer writer;
  writer.add_text("/something", "else");
  std::vector<std::byte> bytes = writer.finish();
  hdf5::add_checksum(bytes);
  std::ofstream(path_, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  test::expect_input_error(open, "/target", "not an artifact file");
}

/// Reads everything, like inspect.
void read_all(const std::filesystem::path& path) {
  const ArtifactFile file(path);
  for (const std::string& group : file.groups()) read_provenance(file.reader(), group);
  for (const std::string& dataset : hdf5::dataset_paths(file.reader())) {
    if (!file.reader().info(dataset).is_text) file.reader().read_bytes(dataset);
  }
}

TEST_F(Artifact, ADamagedFileIsRefusedWhereverTheDamageIs) {
  write("/ngrammys", 50);
  const std::string sound = bytes_of(path_);
  EXPECT_TRUE(hdf5::verify_checksum(path_));
  const auto read = [&] { read_all(path_); };
  const auto expect_refused = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    test::expect_input_error(read, "mine.h5");
  };
  for (std::size_t at = 0; at < sound.size(); at += 7) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << at % 8);
    expect_refused(bytes);
  }
  for (const std::size_t kept : {std::size_t{0}, std::size_t{7}, std::size_t{511}, std::size_t{512},
                                 sound.size() / 2, sound.size() - 1}) {
    expect_refused(sound.substr(0, kept));
    // As files end that were written before the power was cut.
    expect_refused(sound.substr(0, kept) + std::string(sound.size() - kept, '\0'));
    expect_refused(std::string(sound.size() - kept, '\0') + sound.substr(sound.size() - kept));
  }
  expect_refused(sound + "\n");
}

TEST_F(Artifact, WithoutAChecksumIsRefusedWithTheCommandsThatMakeItAnew) {
  write("/ngrammys", 50);
  const std::string sound = bytes_of(path_);
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << sound.substr(hdf5::kChecksumBytes);
  test::expect_input_error([&] { read_all(path_); }, "mine.h5",
                           "expected an artifact file, which begins with a checksum",
                           "`calibrate all` makes what it had anew");
}

}  // namespace
}  // namespace outrider::artifacts
