#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/engine/cuda/gpu_engine.h"
#include "tests/device_check/ceiling_kernels.h"
#include "tests/device_check/recorded_kernels.h"
#include "tests/device_check/timing.h"

namespace outrider::device_check {

namespace cuda = engine::cuda;
using Json = nlohmann::ordered_json;

struct Settings {
  bool emulated = false;
  int card = 0;
  /// Small sizes, where what is found counts and times do not: under a sanitizer, and on the emulation.
  bool tiny = false;
  bool whole = false;             // what the emulation takes minutes for is not left out
  double minutes = 5;             // of all that is timed or tried for as long as there is time
  std::vector<std::string> only;  // sections; empty: all
  std::string json;               // file; empty: none
  std::string runtime;            // the program for real texts
  std::string model;
  std::string artifacts;  // folder
  std::string prompts = "configs/prompts/demo.jsonl";
};

/// A run of device_check: the device, and what was found.
struct Check {
  Settings settings;
  std::shared_ptr<cuda::Gpu> gpu;
  RecordedKernels* kernels = nullptr;  // those of `gpu`
  std::unique_ptr<CeilingKernels> ceilings;
  /// Of the device's own copies, bytes read plus written; 0: not measured.
  double copy_bytes_per_second = 0;
  Json found;
  bool good = true;

  /// Prints a line of the report, at once.
  static void say(const std::string& line);
  /// A section's mistake or omission: said, and the exit status is not 0.
  void fail(const std::string& what);
  /// The effort of one timing. @param share  of the run's time that so many of them may take
  Effort effort(double share, int count) const;
  /// Bytes in a second as a share of the copies'; null, and "-", where these were not measured.
  Json share_of_copy(double bytes_per_second) const;
  std::string percent(double bytes_per_second) const;
  /// An engine on the device.
  std::unique_ptr<cuda::GpuEngine> engine(const model::Model& model,
                                          const engine::EngineOptions& options = {}) const {
    return std::make_unique<cuda::GpuEngine>(gpu, model, options);
  }
};

// Sections: each writes what it found to its own part of Check::found.

/// The bits of tiny models of every kind of weights equal those that are committed, and those of the default model where it is given.
void check_golden_bits(Check& check);
/// Random trees, batches and chunks, every bit against the processor's.
void check_certificate(Check& check);
/// Tokens chosen and rows scored where their logits lie, against the processor's; and how long that takes.
void check_choices(Check& check);
/// What drafters ask about rows, and chains that they draft, likewise.
void check_drafts(Check& check);
/// Trees and chains that are drafted ahead in one request, drafts that the device follows and rows that it moves, against the
/// processor's.
void check_ahead(Check& check);
/// What runs end with: keys and values that a cache cannot hold, rows of logits without a distribution.
void check_limits(Check& check);
/// What the device can do at most: copies, reads, tensor-core products, launches.
void measure_ceilings(Check& check);
/// Products alone, by matrix and rows.
void measure_products(Check& check);
/// Passes by rows and context, and the prefill of prompts; each kernel of some passes alone.
void measure_passes(Check& check);
/// Plain decoding with tokens chosen on the device, and traces of many texts at once.
void measure_decoding(Check& check);
/// This program again, with tiny sizes, under compute-sanitizer.
void run_sanitizers(Check& check);
/// Texts of a real model by several methods, against the processor's.
void compare_texts(Check& check);

}  // namespace outrider::device_check
