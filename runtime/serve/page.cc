#include "runtime/serve/page.h"

#include <fmt/core.h>

#include <random>
#include <string>
#include <string_view>

#include "page_text.h"

namespace outrider::serve {
namespace {

/// Marks the page's own script and style; another script would have to guess it.
std::string new_nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

HttpResponse page_response() {
  constexpr std::string_view kNonce = "@NONCE@";
  const std::string nonce = new_nonce();
  HttpResponse response = {.body = kPageText, .type = "text/html; charset=utf-8"};
  for (std::size_t at = 0; (at = response.body.find(kNonce, at)) != std::string::npos;)
    response.body.replace(at, kNonce.size(), nonce);
  response.headers = {
      {"Content-Security-Policy",
       fmt::format(
           "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
           "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
           nonce)},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-store"}};
  return response;
}

}  // namespace outrider::serve
