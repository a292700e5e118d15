#include <nlohmann/json.hpp>

#include "data/commands/store_report.h"
#include "data/store/trace_group.h"
#include "runtime/base/json_text.h"

namespace outrider::data {
namespace {

using Json = nlohmann::ordered_json;

Json json_of_histogram(const Histogram& histogram) {
  return {{"from", histogram.edges}, {"counts", histogram.counts}};
}

Json json_of_sums(const TraceSums& sums) {
  return {
      {"traces", sums.traces},
      {"prompt_tokens", sums.prompt_tokens},
      {"output_tokens", sums.output_tokens},
      {"loop_tokens", sums.loop_tokens},
      {"entropy_sum", sums.entropy},
      {"entropy_sum_outside_loops", sums.entropy_outside_loops},
      {"finished",
       {{"stop", sums.finishes[0]}, {"length", sums.finishes[1]}, {"context", sums.finishes[2]}}},
      {"lengths", json_of_histogram(sums.lengths)},
      {"entropies", json_of_histogram(sums.entropies)}};
}

}  // namespace

std::string json_of(const TraceStore& store, const StoreSummary& summary) {
  const Manifest& manifest = store.manifest();
  Json json = {{"folder", store.folder().string()},
               {"model_name", manifest.identity.model_name},
               {"identity", Json::parse(identity_text(manifest.identity))},
               {"conversations", manifest.plan.conversations},
               {"conversations_per_shard", manifest.plan.conversations_per_shard},
               {"shards", manifest.plan.shards()},
               {"shards_missing", store.missing()},
               {"content_hash", content_hash(manifest)},
               {"bytes", summary.bytes},
               {"all", json_of_sums(summary.all)}};
  Json& tasks = json["tasks"] = Json::object();
  for (const auto& [name, sums] : summary.tasks) tasks[name] = json_of_sums(sums);
  Json& datasets = json["dataset_bytes"] = Json::object();
  for (const auto& [path, bytes] : summary.dataset_bytes) datasets[path] = bytes;
  Json& groups = json["groups"] = Json::object();
  for (const std::string& name : group_names(store)) {
    const TraceGroup group(store, name);
    groups[name] = {{"identity", Json::parse(identity_text(group.manifest().identity))},
                    {"shards_missing", group.missing()},
                    {"content_hash", content_hash(group.manifest())}};
  }
  return json_text(json, 1) + "\n";
}

}  // namespace outrider::data
