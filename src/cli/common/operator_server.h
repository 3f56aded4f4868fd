// The server an operator's command talks to: the one that runs on the data folder, or, where none runs, one
// of the command's own on a port nobody knows, for as long as the command lasts. It creates no data folder.
#pragma once

#include <memory>
#include <string>

#include "app/application.h"
#include "cli/common/http_client.h"
#include "config/config.h"

namespace maejin::cli {

struct OperatorError {
  std::string sentence;
  int status = 0;  // what the server answered; 0: nothing
};

class OperatorServer {
 public:
  // The error is a sentence for the operator.
  static Result<OperatorServer, std::string> Reach(const config::Config& config);

  // A good answer, or a sentence: no connection, or what the server refused.
  Result<HttpAnswer, OperatorError> Ask(const HttpCall& call) { return GoodAnswer(client_.Call(call)); }
  // The same, of a long body in pieces (HttpClient::Upload).
  Result<HttpAnswer, OperatorError> Send(const HttpCall& call,
                                         const std::function<bool(std::string&)>& next) {
    return GoodAnswer(client_.Upload(call, next));
  }

 private:
  OperatorServer(std::unique_ptr<app::Application> own, HttpClient client)
      : own_(std::move(own)), client_(std::move(client)) {}

  static Result<HttpAnswer, OperatorError> GoodAnswer(Result<HttpAnswer, std::string> answer);

  std::unique_ptr<app::Application> own_;  // absent: somebody else's
  HttpClient client_;
};

}  // namespace maejin::cli
