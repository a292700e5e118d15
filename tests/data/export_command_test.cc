#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/commands/commands.h"
#include "data/store/trace_store.h"
#include "runtime/base/text_file.h"
#include "tests/data/random_store.h"
#include "tests/support/run_command.h"

namespace outrider::data {
namespace {

using Json = nlohmann::json;
using test::Outcome;

Outcome run_export(std::vector<std::string> words) {
  words.insert(words.begin(), "export");
  return test::run_command(add_export, std::move(words));
}

/// The output of the command with these flags.
std::string exported(const test::RandomStore& store, std::vector<std::string> flags) {
  flags.insert(flags.end(), {store.path.string(), "--out", store.file("out"), "--quiet"});
  const Outcome outcome = run_export(std::move(flags));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  return read_text_file(store.file("out"), 1 << 26);
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(ExportCommand, WritesALinePerTrace) {
  const test::RandomStore made;
  const std::vector<Json> lines = lines_of(exported(made, {"--to", "jsonl"}));
  ASSERT_EQ(lines.size(), made.traces.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Trace& trace = made.traces[i];
    const Json& line = lines[i];
    EXPECT_EQ(line["id"], trace.id);
    EXPECT_EQ(line["task"], trace.task);
    EXPECT_EQ(line["prompt_tokens"], Json(trace.prompt_tokens));
    EXPECT_EQ(line["output_tokens"], Json(trace.output_tokens));
    EXPECT_EQ(line["loss_mask"], Json(trace.loss_mask));
    EXPECT_EQ(line["in_loop"], Json(trace.in_loop));
    EXPECT_EQ(line["finish"], decode::finish_name(trace.finish));
    EXPECT_EQ(line["settings"]["turn"], trace.turn);
    EXPECT_EQ(line["settings"]["sample"], trace.sample);
    EXPECT_EQ(line["settings"]["temperature"], trace.temperature);
    EXPECT_EQ(line["settings"]["sequence_seed"], trace.sequence_seed);
    EXPECT_EQ(line["settings"]["model"], "small");
    EXPECT_EQ(line["settings"]["options"]["max-new"], "40");
    for (const char* score : {"top_ids", "top_log_probs", "entropy", "tail_mass"})
      EXPECT_FALSE(line.contains(score)) << score;
  }
}

TEST(ExportCommand, WritesScoresExactlyIfRequested) {
  const test::RandomStore made;
  const std::vector<Json> lines = lines_of(exported(made, {"--to", "jsonl", "--scores"}));
  ASSERT_EQ(lines.size(), made.traces.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Trace& trace = made.traces[i];
    EXPECT_EQ(lines[i]["entropy"].get<std::vector<float>>(), trace.entropies);
    EXPECT_EQ(lines[i]["tail_mass"].get<std::vector<float>>(), trace.tail_masses);
    ASSERT_EQ(lines[i]["top_ids"].size(), trace.output_tokens.size());
    std::vector<Token> ids;
    std::vector<float> log_probs;
    for (std::size_t row = 0; row < trace.output_tokens.size(); ++row) {
      for (const Json& id : lines[i]["top_ids"][row]) ids.push_back(id);
      for (const Json& log_prob : lines[i]["top_log_probs"][row]) log_probs.push_back(log_prob);
    }
    EXPECT_EQ(ids, trace.top_ids);
    EXPECT_EQ(log_probs, trace.top_log_probs);
  }
}

/// A strict reader of safetensors files.
class Tensors {
 public:
  explicit Tensors(std::string file) : file_(std::move(file)) {
    std::uint64_t length = 0;
    std::memcpy(&length, file_.data(), sizeof length);
    begin_ = sizeof length + length;
    header = Json::parse(file_.substr(sizeof length, length));
    metadata = header["__metadata__"];
    header.erase("__metadata__");
    EXPECT_EQ(begin_ % 8, 0u);
  }

  template <typename T>
  std::vector<T> values(const std::string& name, const char* type, const Json& shape) const {
    const Json& tensor = header.at(name);
    EXPECT_EQ(tensor["dtype"], type) << name;
    EXPECT_EQ(tensor["shape"], shape) << name;
    const std::size_t from = tensor["data_offsets"][0], to = tensor["data_offsets"][1];
    EXPECT_EQ((begin_ + from) % sizeof(T), 0u) << name << " is not aligned";
    std::vector<T> values((to - from) / sizeof(T));
    std::memcpy(values.data(), file_.data() + begin_ + from, to - from);
    return values;
  }
  /// After the header, without gaps and without bytes left over.
  void expect_whole() const {
    std::map<std::size_t, std::size_t> ends;
    for (const auto& [name, tensor] : header.items())
      ends[tensor["data_offsets"][0]] = tensor["data_offsets"][1];
    std::size_t next = 0;
    for (const auto& [from, to] : ends) {
      EXPECT_EQ(from, next);
      next = to;
    }
    EXPECT_EQ(begin_ + next, file_.size());
  }

  Json header;
  Json metadata;

 private:
  std::string file_;
  std::size_t begin_ = 0;
};

/// One property of all traces, concatenated, with offsets.
template <typename T, typename Get>
std::pair<std::vector<T>, std::vector<std::int64_t>> joined(const std::vector<Trace>& traces,
                                                            Get get) {
  std::vector<T> values;
  std::vector<std::int64_t> offsets = {0};
  for (const Trace& trace : traces) {
    for (const auto& value : get(trace)) values.push_back(static_cast<T>(value));
    offsets.push_back(std::ssize(values));
  }
  return {values, offsets};
}

void expect_ids(const Tensors& file, const test::RandomStore& made) {
  const auto [prompts, prompt_offsets] =
      joined<std::uint16_t>(made.traces, [](const Trace& trace) { return trace.prompt_tokens; });
  const auto [outputs, output_offsets] =
      joined<std::uint16_t>(made.traces, [](const Trace& trace) { return trace.output_tokens; });
  const std::size_t boundaries = made.traces.size() + 1;
  EXPECT_EQ(file.values<std::uint16_t>("prompt.tokens", "U16", {prompts.size()}), prompts);
  EXPECT_EQ(file.values<std::int64_t>("prompt.offsets", "I64", {boundaries}), prompt_offsets);
  EXPECT_EQ(file.values<std::uint16_t>("output.tokens", "U16", {outputs.size()}), outputs);
  EXPECT_EQ(file.values<std::int64_t>("output.offsets", "I64", {boundaries}), output_offsets);
}

TEST(ExportCommand, WritesTensorsOfAllTracesWithScoresAndStates) {
  const test::RandomStore made({1, -1});
  const Tensors file(exported(made, {"--to", "safetensors", "--scores"}));
  file.expect_whole();
  expect_ids(file, made);
  const auto [top_ids, offsets] =
      joined<std::uint16_t>(made.traces, [](const Trace& trace) { return trace.top_ids; });
  const auto log_probs =
      joined<float>(made.traces, [](const Trace& trace) { return trace.top_log_probs; }).first;
  const Json shape = {top_ids.size() / 4, 4};
  EXPECT_EQ(file.values<std::uint16_t>("scores.top_ids", "U16", shape), top_ids);
  EXPECT_EQ(file.values<float>("scores.top_log_probs", "F32", shape), log_probs);
  std::vector<std::uint16_t> states;
  for (const Trace& trace : made.traces)
    for (const Bfloat16 value : trace.states[1].values) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      states.push_back(bits);
    }
  EXPECT_EQ(file.values<std::uint16_t>("states.final_norm", "BF16", {states.size() / 8, 8}),
            states);
  EXPECT_EQ(file.metadata["content_hash"], content_hash(TraceStore(made.path).manifest()));
}

TEST(ExportCommand, LeavesScoresOutOfTensorsByDefault) {
  const test::RandomStore made;
  const Tensors file(exported(made, {"--to", "safetensors"}));
  file.expect_whole();
  expect_ids(file, made);
  for (const auto& [name, tensor] : file.header.items())
    EXPECT_FALSE(name.starts_with("scores.")) << name;
  const auto in_loop =
      joined<std::uint8_t>(made.traces, [](const Trace& trace) { return trace.in_loop; }).first;
  EXPECT_EQ(file.values<std::uint8_t>("output.in_loop", "U8", {in_loop.size()}), in_loop);
}

TEST(ExportCommand, IdsOnlyTakeAtMostFourBytesPerToken) {
  const test::RandomStore made({}, {300, 16, 1, 1});
  const std::string bytes = exported(made, {"--to", "safetensors", "--ids-only"});
  const Tensors file(bytes);
  file.expect_whole();
  EXPECT_EQ(file.header.size(), 4u);
  expect_ids(file, made);
  std::size_t tokens = 0;
  for (const Trace& trace : made.traces)
    tokens += trace.prompt_tokens.size() + trace.output_tokens.size();
  EXPECT_LE(bytes.size(), 4 * tokens);
}

TEST(ExportCommand, WarnsOfAnUnfinishedStore) {
  const test::RandomStore made({}, {40, 12, 1, 1}, 2);
  const Outcome outcome =
      run_export({made.path.string(), "--to", "jsonl", "--out", made.file("out"), "--quiet"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("1 of 4 shards are missing, the first is 2"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(lines_of(read_text_file(made.file("out"), 1 << 26)).size(), made.traces.size());
}

TEST(ExportCommand, RefusesContradictoryFlags) {
  const test::RandomStore made;
  const std::string store = made.path.string(), out = made.file("out");
  const auto refuse = [&](std::vector<std::string> words, const std::string& message) {
    const Outcome outcome = run_export(std::move(words));
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << message;
  };
  refuse({store, "--out", out}, "--to is required");
  refuse({store, "--to", "jsonl"}, "--out is required");
  refuse({"--to", "jsonl", "--out", out}, "DIR is required");
  refuse({store, "--to", "csv", "--out", out}, "--to");
  refuse({store, "--to", "jsonl", "--ids-only", "--out", out},
         "--ids-only: only with --to safetensors");
  refuse({store, "--to", "safetensors", "--ids-only", "--scores", "--out", out},
         "--ids-only and --scores: give only one of them");
  refuse({store, "--to", "jsonl", "--out", made.file("no/such/folder")}, "No such file");
  refuse({made.file("nowhere"), "--to", "jsonl", "--out", out}, "No such file");
  const test::RandomStore begun({}, {3, 4, 1, 1}, 0);
  refuse({begun.path.string(), "--to", "jsonl", "--out", out}, "no shard is finished yet");
  std::filesystem::resize_file(made.path / shard_file_name(3), 100);
  refuse({store, "--to", "jsonl", "--out", out, "--quiet"}, "shard-00003.h5: damaged");
}

}  // namespace
}  // namespace outrider::data
