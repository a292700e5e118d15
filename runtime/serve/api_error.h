#pragma once

#include <exception>
#include <string>
#include <utility>

namespace outrider::serve {

/// A request that is not answered: a status of HTTP and what OpenAI's error object says of it.
struct ApiError : std::exception {
  ApiError(int status_of_http, std::string text, std::string of_parameter = "",
           std::string known_code = "")
      : status(status_of_http),
        message(std::move(text)),
        parameter(std::move(of_parameter)),
        code(std::move(known_code)) {}

  const char* what() const noexcept override { return message.c_str(); }

  int status;
  std::string message;
  std::string parameter;  // the field that it is about; empty: none
  std::string code;       // "context_length_exceeded", …; empty: null
};

/// The kind of error in OpenAI's objects: "invalid_request_error", …
const char* type_of(const ApiError& error);

/// {"error": {"message", "type", "param", "code"}}
std::string error_body(const ApiError& error);

}  // namespace outrider::serve
