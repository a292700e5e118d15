#pragma once

#include <functional>

#include "data/store/trace_store.h"
#include "runtime/base/output_file.h"

namespace outrider::data {

struct ExportOptions {
  bool scores = false;    // the top-k, entropies and masses too
  bool ids_only = false;  // nothing but ids and where traces begin
};

/// Called after each shard with their number so far; no file is written when it throws.
using ShardDone = std::function<void(std::int64_t)>;

/// One line a trace. @throws InputError with the system's reason
void export_jsonl(const TraceStore& store, const ExportOptions& options, OutputFile& out,
                  const ShardDone& done);

/// One tensor a dataset, of all traces. @throws InputError with the system's reason
void export_safetensors(const TraceStore& store, const ExportOptions& options, OutputFile& out,
                        const ShardDone& done);

}  // namespace outrider::data
