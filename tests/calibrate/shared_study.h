#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "data/journal/journal_parts.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/cli/command_line.h"
#include "runtime/engine/machine.h"
#include "runtime/hdf5/dataset_paths.h"
#include "tests/calibrate/traced_draft.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::test {

namespace fs = std::filesystem;

inline std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs studies beside tiny.h5, which has prices of passes: what is chosen by them is then always the same.
class SharedStudy : public TracedDraft {
 protected:
  void SetUp() override {
    make({"-n", "24", "--samples", "3", "--temperature", "0", "1", "1"});
    const model::Model target = model::load_model(path("tiny.gguf"));
    artifacts::replace_group(
        path("tiny.h5"), artifacts::identity_of(target),
        artifacts::parallelspec_group(draft::ParallelSpecModel::Flavour::kEagle), {},
        [&](hdf5::Writer& file, const std::string& group) {
          artifacts::write_parallelspec(
              tiny_parallelspec(target, {.flavour = draft::ParallelSpecModel::Flavour::kEagle}, 4),
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

  Outcome run(cli::AddCommand add, const std::string& name,
              std::vector<std::string> flags = {}) const {
    if (name == "gsd") flags.insert(flags.end(), {"--tree-nodes", "40", "--steps", "3"});
    if (name == "parallelspec") flags.insert(flags.end(), {"--depths", "3", "--children", "3"});
    if (name == "ngrammys") flags.insert(flags.end(), {"--keep-top", "3"});
    if (name == "parallelspec" || name == "gsd") flags.insert(flags.end(), {"--positions", "12"});
    flags.insert(flags.end(), {"--threads", "1", "--isa", "scalar"});
    return run_on_traces(add, name, flags);
  }

  /// Runs all parts of what can be divided, again and again until all is done. @return how often
  int run_parts(cli::AddCommand add, const std::string& name, int parts) const {
    for (int times = 1; times < 9; ++times) {
      std::string said;
      for (int part = parts; part >= 1; --part) {
        const Outcome done = run(add, name, {"--shard", fmt::format("{}/{}", part, parts)});
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

}  // namespace outrider::test
