#include "calibrate/commands/ngrams.h"

#include <fmt/core.h>

#include <memory>

#include "calibrate/commands/result_options.h"
#include "calibrate/ngrams/bigram_part.h"
#include "calibrate/ngrams/unigram_ranking.h"
#include "runtime/artifacts/ngram_tables.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"
#include "runtime/base/stopwatch.h"
#include "runtime/commands/engine_flags.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kExamples =
    "A run that was broken off goes on where it was when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate ngrams -m MODEL.gguf\n"
    "  calibrate ngrams -m MODEL.gguf --unigram inner --artifacts mine.h5\n"
    "  runtime decode -m MODEL.gguf --method ngrammys --artifacts mine.h5 -p 'Why is the sky "
    "blue?'\n";

constexpr double kSecondsBetweenSaves = 15;

struct NgramOptions {
  std::string model;
  int top = 32;
  std::string unigram = "distance";
  EngineFlags engine;
  int batch = 128;
  bool quiet = false;
  ResultOptions result;
};

/// One call of `calibrate ngrams`.
class NgramsCommand {
 public:
  explicit NgramsCommand(const NgramOptions& options)
      : options_(options),
        model_(model::load_model(options.model)),
        target_(artifacts::identity_of(model_)),
        engine_(make_engine(model_, options.engine, options.quiet)) {
    if (options.top > target_.vocab)
      throw InputError(fmt::format("--keep-top: found {}, expected at most {}, the vocabulary",
                                   options.top, target_.vocab));
  }

  void run() {
    catch_interrupts();
    const Stopwatch watch;
    BigramPart part(result_file(options_.result, target_), target_,
                    fmt::format("top {}, {}, quantise {}", options_.top, engine_->numerics_name(),
                                options_.engine.quantise));
    const BigramTable bigrams = make_bigrams(part);
    artifacts::NgramTables tables;
    tables.unigram = rank_unigrams(model_, unigram_measure_of(options_.unigram));
    tables.unigram_measure = options_.unigram;
    tables.top = bigrams.top;
    tables.next = bigrams.next;
    tables.log_probs = bigrams.log_probs;
    tables.numerics = engine_->numerics_name();
    const auto path =
        write_result(options_.result, target_, artifacts::kNgramGroup, "calibrate ngrams", 0, "",
                     [&](artifacts::Hdf5Writer& file, const std::string& group) {
                       write_ngram_tables(tables, file, group);
                     });
    part.remove();
    say(fmt::format("{}: {} next tokens of each of {}, in {:.1f} s", path.string(), tables.top,
                    tables.vocab(), watch.seconds()));
  }

 private:
  void say(const std::string& line) const {
    if (!options_.quiet) fmt::print(stderr, "{}\n", line);
  }

  /// @throws Interrupted when the user broke it off; what is done is kept
  BigramTable make_bigrams(const BigramPart& part) {
    BigramTable table = part.load(options_.top);
    const int before = table.rows();
    if (before > 0) say(fmt::format("going on behind {} tokens", before));
    Progress progress("tokens", target_.vocab - before, options_.quiet);
    Stopwatch since_save;
    const bool whole = fill_bigram_table(*engine_, options_.batch, table, [&] {
      progress.show(table.rows() - before);
      if (interrupted()) return false;
      if (since_save.seconds() > kSecondsBetweenSaves) {
        part.save(table);
        since_save = Stopwatch();
      }
      return true;
    });
    if (whole) return table;
    part.save(table);
    throw Interrupted();
  }

  const NgramOptions& options_;
  model::Model model_;
  artifacts::TargetIdentity target_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace

Command add_ngrams(CLI::App& program) {
  auto options = std::make_shared<NgramOptions>();
  CommandOptions command(program, "ngrams",
                         "Tables of next tokens, read off the model without any text");
  command.footer(kExamples);
  declare_model_flag(command, options->model);
  declare_result_flags(command, options->result);
  command.add_option("--keep-top", options->top, "Next tokens kept for every token")
      .check(whole_number(1, 256));
  command
      .add_option("--unigram", options->unigram,
                  "How tokens are ranked without a text: by the distance of their embeddings from "
                  "the mean, or by the inner product with it")
      .check(one_of(unigram_measure_names()));
  declare_threads_flag(command, options->engine);
  declare_numerics_flags(command, options->engine);
  declare_isa_flag(command, options->engine);
  command.add_option("--batch", options->batch, "Tokens in one pass; changes the speed only")
      .check(whole_number(1, 512));
  command.add_flag("--quiet", options->quiet, "Nothing on standard error but mistakes");
  return result_command(command, options,
                        [](const NgramOptions& given) { NgramsCommand(given).run(); });
}

}  // namespace outrider::calibrate
