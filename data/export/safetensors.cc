#include <algorithm>

#include "data/export/export_store.h"
#include "data/store/shard_format.h"
#include "data/store/store_identity.h"
#include "runtime/model/safetensors_writer.h"

namespace outrider::data {
namespace {

using hdf5::Dims;
using hdf5::kNumberType;
using hdf5::NumberType;

/// Sizes of the tensors.
struct Totals {
  std::uint64_t traces = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t id_bytes = 0;
  std::uint64_t task_bytes = 0;
};

Totals totals_of(const TraceStore& store) {
  Totals totals;
  for (const int shard : store.shards()) {
    const ShardReader reader = store.open(shard);
    const ShardColumns& columns = reader.columns();
    totals.traces += columns.traces();
    totals.prompt_tokens += columns.prompts.values.size();
    totals.output_tokens += columns.outputs.values.size();
    totals.id_bytes += columns.ids.values.size();
    totals.task_bytes += columns.tasks.values.size();
  }
  return totals;
}

/// "/states/layer_2" as "states.layer_2"
std::string tensor_name(const std::string& path) {
  std::string name = path.substr(1);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

class Exporter {
 public:
  Exporter(const TraceStore& store, const ExportOptions& options, const Totals& totals,
           OutputFile& out)
      : identity_(store.identity()),
        options_(options),
        file_(out, tensors(totals),
              {{"format", "outrider traces"},
               {"model", identity_.model_name},
               {"identity", identity_text(identity_)},
               {"content_hash", content_hash(store.manifest())}}) {}

  void add(const ShardReader& reader) {
    const ShardColumns& columns = reader.columns();
    append_tokens("prompt.tokens", columns.prompts.values);
    append_offsets("prompt.offsets", columns.prompts.offsets);
    append_tokens("output.tokens", columns.outputs.values);
    append_offsets("output.offsets", columns.outputs.offsets);
    if (options_.ids_only) return;
    append_offsets("trace.id.offsets", columns.ids.offsets);
    append_offsets("trace.task.offsets", columns.tasks.offsets);
    append("trace.id.bytes", columns.ids.values);
    append("trace.task.bytes", columns.tasks.values);
    append("trace.turn", columns.turns);
    append("trace.sample", columns.samples);
    append("trace.temperature", columns.temperatures);
    append("trace.sequence_seed", columns.sequence_seeds);
    append("trace.finish", columns.finishes);
    append("prompt.loss_mask", columns.prompt_loss_mask);
    append("output.loss_mask", columns.output_loss_mask);
    append("output.in_loop", columns.in_loops);
    for (const int layer : identity_.layers) {
      for (std::size_t i = 0; i < reader.size(); ++i) {
        append(tensor_name(states_path(layer)), reader.states(i, layer));
      }
    }
    if (!options_.scores) return;
    append("scores.entropy", columns.entropies);
    append("scores.tail_mass", columns.tail_masses);
    append_tokens("scores.top_ids", columns.top_ids);
    append("scores.top_log_probs", columns.top_log_probs);
  }

  void commit() { file_.commit(); }

 private:
  std::vector<model::SafetensorsWriter::Tensor> tensors(const Totals& totals) const {
    const NumberType token = tokens_are_short(identity_) ? NumberType::kUint16 : kNumberType<Token>;
    const Dims per_trace = {totals.traces};
    const Dims boundaries = {totals.traces + 1};
    const Dims per_prompt_token = {totals.prompt_tokens};
    const Dims per_output_token = {totals.output_tokens};
    std::vector<model::SafetensorsWriter::Tensor> list = {
        {"prompt.tokens", token, per_prompt_token},
        {"prompt.offsets", NumberType::kInt64, boundaries},
        {"output.tokens", token, per_output_token},
        {"output.offsets", NumberType::kInt64, boundaries}};
    const auto add = [&list](const std::string& name, NumberType type, const Dims& dims) {
      list.push_back({name, type, dims});
    };
    if (options_.ids_only) return list;
    add("trace.id.bytes", NumberType::kUint8, {totals.id_bytes});
    add("trace.id.offsets", NumberType::kInt64, boundaries);
    add("trace.task.bytes", NumberType::kUint8, {totals.task_bytes});
    add("trace.task.offsets", NumberType::kInt64, boundaries);
    add("trace.turn", NumberType::kInt32, per_trace);
    add("trace.sample", NumberType::kInt32, per_trace);
    add("trace.temperature", NumberType::kFloat64, per_trace);
    add("trace.sequence_seed", NumberType::kUint64, per_trace);
    add("trace.finish", NumberType::kUint8, per_trace);
    add("prompt.loss_mask", NumberType::kUint8, per_prompt_token);
    add("output.loss_mask", NumberType::kUint8, per_output_token);
    add("output.in_loop", NumberType::kUint8, per_output_token);
    // The last token of each trace was not forwarded.
    const std::uint64_t positions = totals.prompt_tokens + totals.output_tokens - totals.traces;
    for (const int layer : identity_.layers) {
      add(tensor_name(states_path(layer)), NumberType::kBfloat16,
          {positions, static_cast<std::uint64_t>(identity_.width)});
    }
    if (!options_.scores) return list;
    const Dims scores = {totals.output_tokens, static_cast<std::uint64_t>(identity_.top_k)};
    add("scores.entropy", NumberType::kFloat32, per_output_token);
    add("scores.tail_mass", NumberType::kFloat32, per_output_token);
    add("scores.top_ids", token, scores);
    add("scores.top_log_probs", NumberType::kFloat32, scores);
    return list;
  }

  template <typename T>
  void append(const std::string& name, const std::vector<T>& numbers) {
    file_.append(name, std::span<const T>(numbers));
  }

  void append_tokens(const std::string& name, const std::vector<Token>& tokens) {
    if (!tokens_are_short(identity_)) return append(name, tokens);
    std::vector<std::uint16_t> narrow(tokens.size());
    std::transform(tokens.begin(), tokens.end(), narrow.begin(),
                   [](Token token) { return static_cast<std::uint16_t>(token); });
    append(name, narrow);
  }

  /// A shard's offsets are relative to the shard; a tensor's to the first shard.
  void append_offsets(const std::string& name, const std::vector<std::int64_t>& offsets) {
    const auto [last, is_first] = last_offset_.try_emplace(name, 0);
    std::vector<std::int64_t> shifted;
    for (std::size_t i = is_first ? 0 : 1; i < offsets.size(); ++i) {
      shifted.push_back(last->second + offsets[i]);
    }
    last->second += offsets.back();
    append(name, shifted);
  }

  const StoreIdentity& identity_;
  const ExportOptions& options_;
  model::SafetensorsWriter file_;
  std::map<std::string, std::int64_t> last_offset_;
};

}  // namespace

void export_safetensors(const TraceStore& store, const ExportOptions& options, OutputFile& out,
                        const ShardDone& done) {
  Exporter exporter(store, options, totals_of(store), out);
  std::int64_t shards = 0;
  for (const int shard : store.shards()) {
    exporter.add(store.open(shard, false));
    done(++shards);
  }
  exporter.commit();
}

}  // namespace outrider::data
