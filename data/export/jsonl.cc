#include <nlohmann/json.hpp>

#include "data/export/export_store.h"
#include "runtime/base/json_text.h"

namespace outrider::data {
namespace {

using Json = nlohmann::ordered_json;

/// [output, k] as a list of lists.
template <typename T>
Json rows_of(const std::vector<T>& values, std::size_t rows) {
  Json list = Json::array();
  const std::size_t width = values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    list.push_back(std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(row * width),
                                  values.begin() + static_cast<std::ptrdiff_t>((row + 1) * width)));
  }
  return list;
}

Json json_of(const Trace& trace, const StoreIdentity& identity, bool with_scores) {
  Json settings = {{"turn", trace.turn},
                   {"sample", trace.sample},
                   {"temperature", trace.temperature},
                   {"sequence_seed", trace.sequence_seed},
                   {"model", identity.model_name},
                   {"model_hash", identity.model_hash}};
  Json& options = settings["options"] = Json::object();
  for (const auto& [name, value] : identity.options) options[name] = value;
  Json json = {{"id", trace.id},
               {"task", trace.task},
               {"prompt_tokens", trace.prompt_tokens},
               {"output_tokens", trace.output_tokens},
               {"finish", decode::finish_name(trace.finish)},
               {"loss_mask", trace.loss_mask},
               {"in_loop", trace.in_loop},
               {"settings", settings}};
  if (!with_scores) return json;
  const std::size_t rows = trace.output_tokens.size();
  json["top_ids"] = rows_of(trace.top_ids, rows);
  json["top_log_probs"] = rows_of(trace.top_log_probs, rows);
  json["entropy"] = trace.entropies;
  json["tail_mass"] = trace.tail_masses;
  return json;
}

}  // namespace

void export_jsonl(const TraceStore& store, const ExportOptions& options, OutputFile& out,
                  const ShardDone& done) {
  std::int64_t shards = 0;
  for (const int shard : store.shards()) {
    const ShardReader reader = store.open(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) {
      const Trace trace = reader.columns().trace(i, store.identity().top_k);
      const Json json = json_of(trace, store.identity(), options.scores);
      out.write(json_text(json) + "\n");
    }
    done(++shards);
  }
  out.commit();
}

}  // namespace outrider::data
