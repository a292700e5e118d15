#include "train/checkpoints/checkpoint_head.h"

#include "runtime/base/json_number.h"
#include "runtime/base/json_text.h"

namespace outrider::train {
namespace {

nlohmann::json json_of(const SavedStream& stream) {
  return {{"shards", stream.shards},
          {"content", stream.content},
          {"epoch", stream.epoch},
          {"trace", stream.trace}};
}

template <class Integer>
Integer number_at(const nlohmann::json& json, const char* key) {
  return whole_number_at<Integer>(json, key, "/head");
}

template <class Integer>
std::vector<Integer> numbers_at(const nlohmann::json& json, const char* key) {
  std::vector<Integer> numbers;
  for (const auto& value : json.at(key))
    numbers.push_back(require_whole_number<Integer>(value, std::string("/head: ") + key));
  return numbers;
}

SavedStream stream_of(const nlohmann::json& json) {
  return {numbers_at<int>(json, "shards"), json.at("content").get<std::string>(),
          number_at<std::int64_t>(json, "epoch"), number_at<std::int64_t>(json, "trace")};
}

}  // namespace

std::string head_text(const Checkpoint& checkpoint) {
  nlohmann::json json = {{"identity", checkpoint.identity},
                         {"recipe", checkpoint.recipe},
                         {"step", checkpoint.step},
                         {"steps", checkpoint.steps},
                         {"optimiser_steps", checkpoint.optimiser_steps},
                         {"tokens", checkpoint.tokens},
                         {"seconds", checkpoint.seconds},
                         {"worse_since", checkpoint.worse_since},
                         {"metrics_bytes", checkpoint.metrics_bytes},
                         {"last", checkpoint.last},
                         {"arithmetic", checkpoint.arithmetic},
                         {"streams", nlohmann::json::array()},
                         {"parameters", nlohmann::json::array()}};
  if (checkpoint.best)
    json["best"] = {{"score", checkpoint.best->score}, {"step", checkpoint.best->step}};
  for (const SavedStream& stream : checkpoint.streams) json["streams"].push_back(json_of(stream));
  for (const SavedParameter& parameter : checkpoint.parameters)
    json["parameters"].push_back({{"name", parameter.name}, {"dims", parameter.dims}});
  return json_text(json);
}

Checkpoint parse_head(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  Checkpoint checkpoint;
  checkpoint.identity = json.at("identity");
  json.at("recipe").get_to(checkpoint.recipe);
  checkpoint.step = number_at<std::int64_t>(json, "step");
  checkpoint.steps = number_at<std::int64_t>(json, "steps");
  checkpoint.optimiser_steps = number_at<std::int64_t>(json, "optimiser_steps");
  checkpoint.tokens = number_at<std::int64_t>(json, "tokens");
  json.at("seconds").get_to(checkpoint.seconds);
  checkpoint.worse_since = number_at<int>(json, "worse_since");
  checkpoint.metrics_bytes = number_at<std::uint64_t>(json, "metrics_bytes");
  checkpoint.last = json.at("last");
  json.at("arithmetic").get_to(checkpoint.arithmetic);
  if (json.contains("best"))
    checkpoint.best = {json["best"].at("score").get<double>(),
                       number_at<std::int64_t>(json["best"], "step")};
  for (const auto& stream : json.at("streams")) checkpoint.streams.push_back(stream_of(stream));
  for (const auto& parameter : json.at("parameters")) {
    SavedParameter& saved = checkpoint.parameters.emplace_back();
    parameter.at("name").get_to(saved.name);
    saved.dims = numbers_at<std::int64_t>(parameter, "dims");
  }
  return checkpoint;
}

}  // namespace outrider::train
