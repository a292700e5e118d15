#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <exception>
#include <fstream>
#include <span>

#include "runtime/base/build_name.h"
#include "runtime/base/error.h"
#include "runtime/base/stopwatch.h"
#include "tests/device_check/card.h"
#include "tests/device_check/check.h"
#include "tests/device_check/program_output.h"

namespace outrider::device_check {
namespace {

struct Section {
  const char* name;
  const char* what;
  void (*run)(Check&);
};

const std::vector<Section> kSections = {
    {"golden",
     "bits of tiny models, and of --model where it is the default one, equal those that are committed",
     check_golden_bits},
    {"choices", "tokens chosen and rows scored on the device, against the processor's; times",
     check_choices},
    {"drafts",
     "rows of draft models read on the device, and chains, against the processor's; times",
     check_drafts},
    {"ahead",
     "trees and chains drafted ahead, drafts followed and rows moved there, against the "
     "processor's",
     check_ahead},
    {"limits", "what runs end with: keys and values beyond a cache's numbers, rows without tokens",
     check_limits},
    {"ceilings", "copies, reads, tensor-core products, launches", measure_ceilings},
    {"products", "products alone, by matrix and rows", measure_products},
    {"passes", "passes by rows and context, prefill; a model of 135M and one of 8B",
     measure_passes},
    {"kernels", "each kernel of some passes alone", measure_passes},
    {"decoding", "plain decoding and traces, tokens/s; texts against the processor's",
     measure_decoding},
    {"certificate", "random trees, batches and chunks, every bit against the processor's",
     check_certificate},
    {"sanitizers", "the four tools of compute-sanitizer, with tiny sizes", run_sanitizers},
    {"texts", "texts of --model by several methods, against the processor's", compare_texts},
};

std::string help() {
  std::string text =
      "device_check: whether a GPU gives the processor's bits, and how fast it is.\n\n"
      "  --only SECTION...     of those below (default: all; texts with --model)\n"
      "  --minutes M           of all timings and trials (default: 5)\n"
      "  --card N              in CUDA's order (default: 0)\n"
      "  --emulated            on the emulated device, with tiny sizes\n"
      "  --tiny                tiny sizes\n"
      "  --whole               golden bits of 600 tokens on the emulated device too: 20 minutes\n"
      "  --json FILE           everything that was found\n"
      "  --model FILE --artifacts FOLDER --prompts FILE --runtime PROGRAM   for texts\n\n"
      "Sections:\n";
  for (const Section& section : kSections)
    text += fmt::format("  {:<12} {}\n", section.name, section.what);
  return text +
         "\nExit status: 0; 1 where something differs, fails or is skipped; 2 for a wrong "
         "argument.\n";
}

const Section* section_named(const std::string& name) {
  const auto found = std::find_if(kSections.begin(), kSections.end(),
                                  [&](const Section& s) { return s.name == name; });
  return found == kSections.end() ? nullptr : &*found;
}

double number_of(const std::string& flag, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0))
    throw InputError(fmt::format("{}: expected a number, found '{}'", flag, text));
  return number;
}

Settings parse(std::span<char* const> arguments) {
  Settings settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string flag = arguments[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == arguments.size()) throw InputError(fmt::format("{}: expected a value", flag));
      return arguments[++i];
    };
    if (flag == "--emulated") {
      settings.emulated = settings.tiny = true;
    } else if (flag == "--tiny") {
      settings.tiny = true;
    } else if (flag == "--whole") {
      settings.whole = true;
    } else if (flag == "--only") {
      while (i + 1 < arguments.size() && arguments[i + 1][0] != '-') {
        const std::string name = arguments[++i];
        if (section_named(name) == nullptr)
          throw InputError(
              fmt::format("--only: expected sections that --help lists, found '{}'", name));
        settings.only.push_back(name);
      }
    } else if (flag == "--minutes") {
      settings.minutes = number_of(flag, value());
    } else if (flag == "--card") {
      settings.card = static_cast<int>(number_of(flag, value()));
    } else if (flag == "--json") {
      settings.json = value();
    } else if (flag == "--model") {
      settings.model = value();
    } else if (flag == "--prompts") {
      settings.prompts = value();
    } else if (flag == "--artifacts") {
      settings.artifacts = value();
    } else if (flag == "--runtime") {
      settings.runtime = value();
    } else {
      throw InputError(fmt::format("expected the options that --help lists, found '{}'", flag));
    }
  }
  const bool texts =
      std::find(settings.only.begin(), settings.only.end(), "texts") != settings.only.end();
  if ((texts || !settings.model.empty()) && (settings.model.empty() || settings.runtime.empty()))
    throw InputError("texts: expected --model and --runtime");
  return settings;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

bool is_wanted(const Settings& settings, const Section& section) {
  const std::string name = section.name;
  if (settings.only.empty())
    return name == "texts" ? !settings.model.empty() : name != "sanitizers" || !settings.emulated;
  const auto asked = [&](const char* one) {
    return std::find(settings.only.begin(), settings.only.end(), one) != settings.only.end();
  };
  // Times are told as shares of the copies'.
  return asked(section.name) ||
         (name == "ceilings" && (asked("products") || asked("passes") || asked("kernels")));
}

void write_json(const Check& check) {
  if (check.settings.json.empty()) return;
  std::ofstream out(check.settings.json);
  out << check.found.dump(1) << '\n';
  if (!out.flush())
    throw InputError(fmt::format("--json: {} cannot be written", check.settings.json));
}

int run(const Settings& settings) {
  Check check;
  check.settings = settings;
  Card card = settings.emulated ? emulated_card() : real_card(settings.card);
  auto kernels = std::make_unique<RecordedKernels>(std::move(card.kernels));
  check.kernels = kernels.get();
  check.ceilings = std::move(card.ceilings);
  check.gpu = std::make_shared<cuda::Gpu>();
  check.gpu->device = std::move(card.device);
  check.gpu->kernels = std::move(kernels);
  const cuda::Device& device = *check.gpu->device;
  check.found["card"] = device.name();
  check.found["capability"] = device.capability();
  check.found["multiprocessors"] = device.multiprocessors();
  check.found["memory_bytes"] = device.memory().total_bytes;
  check.found["driver"] = settings.emulated ? "" : driver_and_clocks(settings.card);
  check.found["date"] = now();
  check.found["program"] = build_name();
  // There before sections keep places of their own: a new key moves the others.
  check.found["failed"] = Json::array();
  Check::say(fmt::format("{}, {}, {} multiprocessors; {}; {}", device.name(), device.capability(),
                         device.multiprocessors(), check.found["driver"].get<std::string>(),
                         build_name()));
  const Stopwatch all;
  void (*last)(Check&) = nullptr;
  for (const Section& section : kSections) {
    // One run measures passes and their kernels.
    if (!is_wanted(settings, section) || section.run == last) continue;
    last = section.run;
    const Stopwatch clock;
    try {
      section.run(check);
    } catch (const std::exception& error) {
      check.fail(fmt::format("{}: {}", section.name, error.what()));
    }
    check.found["seconds"][section.name] = clock.seconds();
    write_json(check);
  }
  check.found["good"] = check.good;
  write_json(check);
  Check::say(
      fmt::format("{} in {:.0f} s", check.good ? "all well" : "NOT all well", all.seconds()));
  return check.good ? 0 : 1;
}

}  // namespace
}  // namespace outrider::device_check

int main(int argc, char** argv) {
  using namespace outrider;
  const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc - 1));
  try {
    if (!arguments.empty() && std::string(arguments[0]) == "--help") {
      device_check::Check::say(device_check::help());
      return 0;
    }
    return device_check::run(device_check::parse(arguments));
  } catch (const InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
