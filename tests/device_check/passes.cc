#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "runtime/base/stopwatch.h"
#include "tests/device_check/check.h"
#include "tests/device_check/random_model.h"

namespace outrider::device_check {
namespace {

using engine::KvCache;
using engine::Pass;

struct Sizes {
  std::vector<int> rows = {1, 2, 4, 8, 16, 32};
  std::vector<int> contexts = {4000, 1000, 200, 25};  // the longest first: the cache is filled once
  int prompt = 512;                                   // rows of a prefill's pass
  std::vector<int> kernel_rows = {1, 8, 32, 512};
  int kernel_context = 1000;
};

Sizes tiny_sizes() {
  return {.rows = {1, 3},
          .contexts = {300, 10},
          .prompt = 40,
          .kernel_rows = {2},
          .kernel_context = 10};
}

bool wants(const Settings& settings, const char* section) {
  return settings.only.empty() ||
         std::find(settings.only.begin(), settings.only.end(), section) != settings.only.end();
}

/// Measures one model.
class Passes {
 public:
  Passes(Check& check, const ModelShape& shape)
      : check_(check), name_(shape.name), sizes_(check.settings.tiny ? tiny_sizes() : Sizes{}) {
    const Stopwatch clock;
    model_ = random_model(shape, 1);
    const double made = clock.seconds();
    engine_ = check.engine(model_);
    cache_ = engine_->make_cache(sizes_.contexts.front() + 2 * sizes_.prompt);
    Check::say(fmt::format(
        "{}: {:.0f} MB of weights; made in {:.1f} s, packed and on the device in {:.1f} s", name_,
        static_cast<double>(engine_->weight_bytes()) / 1e6, made, clock.seconds() - made));
    check_.found["models"][name_] = {{"weight_bytes", engine_->weight_bytes()},
                                     {"numerics", engine_->numerics_name()},
                                     {"seconds_to_make", made},
                                     {"seconds_to_load", clock.seconds() - made}};
  }

  void measure_passes() {
    prefill_to(sizes_.prompt);  // buffers grow, kernels are loaded
    for (std::size_t c = 0; c < sizes_.contexts.size(); ++c) {
      const int context = sizes_.contexts[c];
      if (c == 0) {
        measure_prefill();
        Check::say("  passes of one row; of more in these (with the logits of one row only):");
      }
      set_context(context);
      std::string line = fmt::format("  after {:>4}:", context);
      double one = 0;
      for (const int rows : sizes_.rows) {
        const auto [seconds, host] = time_of_pass(*engine_, rows, true);
        // Logits on their way to the host take longer than the weights of some models.
        const double silent = rows == 1 ? seconds : time_of_pass(*engine_, rows, false).seconds;
        if (rows == 1) one = seconds;
        const double read = static_cast<double>(engine_->weight_bytes()) / seconds;
        check_.found["passes"].push_back({{"model", name_},
                                          {"context", context},
                                          {"rows", rows},
                                          {"ms", seconds * 1e3},
                                          {"ms_with_logits_of_one_row", silent * 1e3},
                                          {"host_ms", host * 1e3},
                                          {"passes_of_one", seconds / one},
                                          {"share_of_copy", check_.share_of_copy(read)}});
        line += rows == 1
                    ? fmt::format(" {:.3f} ms = {:.0f} tokens/s, {}; host {:.3f}; rows",
                                  seconds * 1e3, 1 / seconds, check_.percent(read), host * 1e3)
                    : fmt::format(" {}: {:.2f}x ({:.2f}x)", rows, seconds / one, silent / one);
      }
      Check::say(line);
    }
  }

  void measure_kernels() {
    for (const int rows : sizes_.kernel_rows) measure_kernels(rows);
  }

 private:
  static std::vector<Token> tokens(int count) {
    std::vector<Token> all;
    for (int i = 0; i < count; ++i) all.push_back((7919 * i + 17) % 256);
    return all;
  }

  void forward_chain(engine::Engine& engine, int rows, bool all_logits) {
    pass_.sequences = {cache_.get()};
    pass_.rows.clear();
    pass_.add_chain(0, tokens(rows), all_logits);
    pass_.rows.back().wants_logits = true;
    engine.forward(pass_);
  }

  /// Forwards and commits rows until the cache holds so many. @return seconds
  double prefill_to(int length) {
    const Stopwatch clock;
    while (cache_->length() < length) {
      forward_chain(*engine_, std::min(sizes_.prompt, length - cache_->length()), false);
      cache_->commit_first(static_cast<int>(pass_.rows.size()));
    }
    return clock.seconds();
  }

  void set_context(int length) {
    if (cache_->length() > length) cache_->truncate(length);
    prefill_to(length);
  }

  void measure_prefill() {
    std::string line = fmt::format("  prefill of {} tokens:", sizes_.prompt);
    for (const int before : {0, check_.settings.tiny ? 20 : 1000}) {
      set_context(before);
      const double seconds = prefill_to(before + sizes_.prompt);
      check_.found["prefill"].push_back({{"model", name_},
                                         {"after", before},
                                         {"tokens", sizes_.prompt},
                                         {"tokens_per_second", sizes_.prompt / seconds}});
      line += fmt::format(" {:.0f} tokens/s after {}", sizes_.prompt / seconds, before);
    }
    Check::say(line);
  }

  struct Times {
    double seconds;
    double host;  // before anything is asked of the device
  };
  Times time_of_pass(engine::Engine& engine, int rows, bool all_logits) {
    // A form of passes is launched, then recorded, then replayed.
    for (int i = 0; i < 2; ++i) forward_chain(engine, rows, all_logits);
    engine::StepTimes times;
    pass_.times = &times;
    int count = 0;
    const double seconds = seconds_of(check_.effort(0.15, 24), [&] {
      forward_chain(engine, rows, all_logits);
      ++count;
    });
    pass_.times = nullptr;
    return {seconds, times.seconds[static_cast<std::size_t>(engine::Step::kEmbed)] / count};
  }

  /// Each kernel of a pass alone: all of its calls in a pass, one after another, with their own weights.
  void measure_kernels(int rows) {
    set_context(sizes_.kernel_context);
    const bool all_logits = rows <= 64;
    // A new engine over the same weights has recorded no passes yet, so that the kernels are called.
    const auto fresh = engine_->with_workers(engine_->workers());
    forward_chain(*fresh, rows, all_logits);
    check_.kernels->begin();
    forward_chain(*fresh, rows, all_logits);
    std::vector<KernelCall> calls = check_.kernels->end();
    if (calls.empty()) return check_.fail("kernels: no call was recorded");
    const double pass = time_of_pass(*fresh, rows, all_logits).seconds;

    std::vector<std::string> order;
    std::map<std::string, std::vector<const KernelCall*>> groups;
    for (const KernelCall& call : calls) {
      if (!groups.contains(call.name)) order.push_back(call.name);
      groups[call.name].push_back(&call);
    }
    struct Line {
      std::string name;
      std::size_t calls;
      double seconds;
      std::size_t bytes;
    };
    std::vector<Line> lines;
    double sum = 0;
    const Effort effort =
        check_.effort(0.06, static_cast<int>(order.size() * sizes_.kernel_rows.size()));
    cuda::Device& device = *check_.gpu->device;
    const std::size_t flush_bytes = check_.settings.tiny ? 1 << 12 : std::size_t{192} << 20;
    if (flushed_.size() == 0) {
      flushed_ = {device, flush_bytes};
      seen_ = {device, 1};
      flushed_.fill(1);
    }
    // Reading something else first leaves nothing of a group's weights in the device's cache.
    const auto flush = [&] { check_.ceilings->read(flushed_.data(), flush_bytes, seen_.data()); };
    const double flush_seconds = replayed_seconds(device, effort, flush);
    for (const std::string& name : order) {
      const auto& group = groups[name];
      std::size_t bytes = 0;
      for (const KernelCall* call : group) bytes += call->weight_bytes;
      const bool cold = group.front()->reads_memory;
      double seconds = replayed_seconds(device, effort, [&] {
        if (cold) flush();
        for (const KernelCall* call : group) call->again();
      });
      if (cold) seconds -= flush_seconds;
      sum += seconds;
      lines.push_back({name, group.size(), seconds, bytes});
    }
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return a.seconds > b.seconds; });
    Check::say(fmt::format(
        "  kernels, {} rows after {}: pass {:.3f} ms, kernels alone {:.3f} ms, {} calls", rows,
        sizes_.kernel_context, pass * 1e3, sum * 1e3, calls.size()));
    Json list;
    for (const Line& line : lines) {
      const double count = static_cast<double>(line.calls), bytes = static_cast<double>(line.bytes);
      list.push_back({{"name", line.name},
                      {"calls", line.calls},
                      {"us", line.seconds / count * 1e6},
                      {"ms", line.seconds * 1e3},
                      {"share_of_pass", line.seconds / pass},
                      {"gb_s", line.bytes > 0 ? Json(bytes / line.seconds / 1e9) : Json(nullptr)}});
      if (line.seconds < 0.01 * pass) continue;
      std::string text =
          fmt::format("    {:>5.1f}% {:<26} {:>3} x {:>8.2f} us", 100 * line.seconds / pass,
                      line.name, line.calls, line.seconds / count * 1e6);
      if (line.bytes > 0) {
        text += fmt::format("  {:.0f} GB/s", bytes / line.seconds / 1e9);
        text += fmt::format(" = {}", check_.percent(bytes / line.seconds));
      }
      Check::say(text);
    }
    check_.found["kernels"].push_back({{"model", name_},
                                       {"rows", rows},
                                       {"context", sizes_.kernel_context},
                                       {"pass_ms", pass * 1e3},
                                       {"kernels_ms", sum * 1e3},
                                       {"kernels", std::move(list)}});
  }

  Check& check_;
  std::string name_;
  Sizes sizes_;
  model::Model model_;
  std::unique_ptr<cuda::GpuEngine> engine_;
  std::unique_ptr<KvCache> cache_;
  Pass pass_;
  cuda::DeviceBuffer<std::uint8_t> flushed_;
  cuda::DeviceBuffer<std::uint32_t> seen_;
};

}  // namespace

void measure_passes(Check& check) {
  const std::vector<ModelShape> shapes =
      check.settings.tiny ? std::vector<ModelShape>{tiny_shape()}
                          : std::vector<ModelShape>{shape_of_135m(), shape_of_05b(), shape_of_8b()};
  for (const ModelShape& shape : shapes) {
    Passes passes(check, shape);
    if (wants(check.settings, "passes")) passes.measure_passes();
    if (wants(check.settings, "kernels")) passes.measure_kernels();
  }
}

}  // namespace outrider::device_check
