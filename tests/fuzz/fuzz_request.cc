// Any bytes as the body of a request: refused with an error of status 400 that can be written as JSON, or a
// request whose numbers are in their ranges.

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "runtime/sampling/sampler_options.h"
#include "runtime/serve/api_error.h"
#include "tests/fuzz/parse_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  try {
    const serve::CompletionRequest request =
        fuzz::parse_request({reinterpret_cast<const char*>(data), size});
    sampling::check(request.sampler, fuzz::kVocab);
    if (request.samples < 1 || request.samples > serve::kMostSamples) std::abort();
    if (request.top && (*request.top < 0 || *request.top > serve::kMostTop)) std::abort();
    if (request.max_new && *request.max_new < 0) std::abort();
    if (request.is_chat ? request.conversation.messages.empty() : request.prompts.empty())
      std::abort();
    for (const serve::GivenPrompt& prompt : request.prompts)
      if (const auto* tokens = std::get_if<std::vector<Token>>(&prompt))
        for (const Token token : *tokens)
          if (token < 0 || token >= fuzz::kVocab) std::abort();
  } catch (const serve::ApiError& error) {
    if (error.status != 400 || error.message.empty()) std::abort();
    if (!nlohmann::json::accept(serve::error_body(error))) std::abort();
  }
  return 0;
}
