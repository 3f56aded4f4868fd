// The server that an operator's command talks to: the one that runs on the data folder. If none runs, the
// command starts its own on a free loopback port and stops it at the end. Never creates a data folder.
#pragma once

#include <memory>
#include <string>

#include "app/application.h"
#include "cli/common/http_client.h"
#include "config/config.h"

namespace maejin::cli {

struct OperatorError {
  std::string sentence;
  int status = 0;  // HTTP status; 0: no answer
};

class OperatorServer {
 public:
  // The error is a sentence for the operator.
  static Result<OperatorServer, std::string> Reach(const config::Config& config);

  // The answer if its status is below 300. Else an error: no connection, or the server's refusal.
  Result<HttpAnswer, OperatorError> Ask(const HttpCall& call) { return CheckStatus(client_.Call(call)); }
  // The same with a chunked body (HttpClient::Upload).
  Result<HttpAnswer, OperatorError> Send(const HttpCall& call, const HttpClient::NextPiece& next) {
    return CheckStatus(client_.Upload(call, next));
  }

 private:
  OperatorServer(std::unique_ptr<app::Application> own, HttpClient client)
      : own_(std::move(own)), client_(std::move(client)) {}

  static Result<HttpAnswer, OperatorError> CheckStatus(Result<HttpAnswer, std::string> answer);

  std::unique_ptr<app::Application> own_;  // null: the server was already running
  HttpClient client_;
};

}  // namespace maejin::cli
