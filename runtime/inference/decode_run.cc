#include "runtime/inference/decode_run.h"

#include <unistd.h>

#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/cli/coloured_text.h"
#include "runtime/inference/text_stream.h"
#include "runtime/methods/method.h"

namespace outrider {

DecodeRun::DecodeRun(DecodeTarget& target, const DecodeOptions& options, int context, bool shown)
    : target_(target),
      options_(options),
      context_(context),
      shown_(shown),
      decoder_(target.engine(), context),
      drafter_(make_drafter(options)) {}

DecodedText DecodeRun::decode(TextName name, std::vector<Token> prompt_tokens, bool plain) {
  const std::uint64_t seed =
      sampling::sequence_seed(options_.sampler.seed, name.prompt, name.turn, name.sample);
  sampling::Sampler sampler(options_.sampler, target_.model().config.vocab, seed);
  const decode::DecodeLimits limits = {options_.max_new, options_.prefill_chunk,
                                       target_.end_tokens(), interrupted};
  decode::Attribution copied(static_cast<int>(prompt_tokens.size()), options_.min_span);
  const bool coloured = shown_ && attributes(options_) && ::isatty(STDOUT_FILENO) != 0;
  TextStream stream(target_.tokenizer(), options_.stops, shown_ && !coloured);
  ColouredText colours(copied);

  DecodedText text;
  text.name = std::move(name);
  text.prompt_tokens = std::move(prompt_tokens);
  text.context = context_;
  if (static_cast<int>(text.prompt_tokens.size()) >= context_) {
    text.result.finish = decode::FinishReason::kContext;
    return text;
  }
  text.result = decoder_.decode(text.prompt_tokens, sampler, plain ? nullptr : drafter_.get(),
                                limits, [&](Token token, const draft::Origin& origin) {
                                  copied.push(origin.position);
                                  const bool goes_on = stream.push(token);
                                  if (coloured)
                                    write_output(colours.add(stream.made(), stream.text()));
                                  return goes_on;
                                });
  stream.finish();
  if (coloured) write_output(colours.rest(stream.text()) + "\n");
  text.text = stream.text();
  text.copied = copied.spans();
  return text;
}

}  // namespace outrider
