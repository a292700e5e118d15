#include "train/checkpoints/checkpoint_head.h"

namespace outrider::train {
namespace {

nlohmann::json json_of(const SavedStream& stream) {
  return {{"shards", stream.shards},
          {"content", stream.content},
          {"epoch", stream.epoch},
          {"trace", stream.trace}};
}

SavedStream stream_of(const nlohmann::json& json) {
  return {json.at("shards").get<std::vector<int>>(), json.at("content").get<std::string>(),
          json.at("epoch").get<std::int64_t>(), json.at("trace").get<std::int64_t>()};
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
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Checkpoint parse_head(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  Checkpoint checkpoint;
  checkpoint.identity = json.at("identity");
  json.at("recipe").get_to(checkpoint.recipe);
  json.at("step").get_to(checkpoint.step);
  json.at("steps").get_to(checkpoint.steps);
  json.at("optimiser_steps").get_to(checkpoint.optimiser_steps);
  json.at("tokens").get_to(checkpoint.tokens);
  json.at("seconds").get_to(checkpoint.seconds);
  json.at("worse_since").get_to(checkpoint.worse_since);
  json.at("metrics_bytes").get_to(checkpoint.metrics_bytes);
  checkpoint.last = json.at("last");
  json.at("arithmetic").get_to(checkpoint.arithmetic);
  if (json.contains("best"))
    checkpoint.best = {json["best"].at("score").get<double>(),
                       json["best"].at("step").get<std::int64_t>()};
  for (const auto& stream : json.at("streams")) checkpoint.streams.push_back(stream_of(stream));
  for (const auto& parameter : json.at("parameters")) {
    SavedParameter& saved = checkpoint.parameters.emplace_back();
    parameter.at("name").get_to(saved.name);
    parameter.at("dims").get_to(saved.dims);
  }
  return checkpoint;
}

}  // namespace outrider::train
