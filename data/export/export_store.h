#pragma once

#include <cstdint>
#include <functional>

#include "data/store/trace_store.h"
#include "runtime/base/output_file.h"

namespace outrider::data {

struct ExportOptions {
  bool scores = false;    // also the top-k, entropies and masses
  bool ids_only = false;  // only ids and the offsets of traces
};

/// Called after each shard with their number so far; no file is written if it throws.
using ShardDone = std::function<void(std::int64_t)>;

/// One line per trace. @throws InputError with the system's reason
void export_jsonl(const TraceStore& store, const ExportOptions& options, OutputFile& out,
                  const ShardDone& done);

/// One tensor per dataset, over all traces. @throws InputError with the system's reason
void export_safetensors(const TraceStore& store, const ExportOptions& options, OutputFile& out,
                        const ShardDone& done);

/// The answers' ids alone, tied to the prompts by ids and hashes, as RecordedAnswers.
/// @return how many prompts were left out, of which samples are missing
/// @throws InputError with the system's reason, or when no prompt is left
std::int64_t export_answers(const TraceStore& store, OutputFile& out, const ShardDone& done);

}  // namespace outrider::data
