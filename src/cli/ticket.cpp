#include "cli/ticket.h"

#include <cstdio>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/parse.hpp>

#include "base/json_writer.h"
#include "cli/common/admin_client.h"
#include "cli/common/operator_server.h"
#include "cli/top/display_width.h"
#include "domain/booking/reservation_code.h"
#include "domain/booking/ticket.h"

namespace maejin::cli {
namespace {

constexpr Seconds kAnswerTimeout{10};

std::string FieldText(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

int PrintUnknown(const Invocation& invocation) {
  std::puts(invocation.json ? R"({"status":"unknown"})" : "unknown");
  return kExitError;
}

// Prints a text line for people: "valid  K7M2-9XQP  Winter  2026-12-24  R 1-3, R 1-4".
int PrintReport(const Invocation& invocation, const std::string& body) {
  const auto report = boost::json::parse(body).as_object();
  const auto status = FieldText(report, "status");
  if (invocation.json) {
    std::puts(body.c_str());
  } else {
    std::vector<std::string> labels;
    for (const auto& label : report.at("labels").as_array()) labels.push_back(Printable(label.as_string()));
    fmt::print("{}  {}  {}  {}  {}\n", status, FieldText(report, "code"),
               Printable(FieldText(report, "title")), FieldText(report, "concertDate"),
               fmt::join(labels, ", "));
  }
  return status == "valid" ? kExitDone : kExitError;
}

// Whether a key of the set signed the ticket. Keys of other kinds are skipped.
bool SignedByOneOf(const boost::json::value& jwks, const UncheckedTicket& ticket) {
  const auto* keys = jwks.is_object() ? jwks.as_object().if_contains("keys") : nullptr;
  if (!keys || !keys->is_array()) return false;
  for (const auto& each : keys->as_array()) {
    if (!each.is_object()) continue;
    const auto& key = each.as_object();
    const auto open = VerifyKey::FromEcPoint(FieldText(key, "x"), FieldText(key, "y"));
    if (open && ticket.SignedBy(FieldText(key, "kid"), *open)) return true;
  }
  return false;
}

int VerifyOffline(const Invocation& invocation, const std::string& text) {
  auto file = InputFile::Open(invocation.Text("jwks"));
  if (!file) return Fail(file.error());
  std::ostringstream json;
  json << file->stream().rdbuf();
  boost::json::error_code error;
  const auto jwks = boost::json::parse(json.str(), error);
  if (error) return Fail(fmt::format("{} is not a JSON Web Key Set", invocation.Text("jwks")));
  const auto read = ParseTicket(text);
  if (!read || !SignedByOneOf(jwks, *read)) return PrintUnknown(invocation);
  const auto& ticket = read->ticket;
  const auto code = CodeOf(ticket.reservation);
  if (invocation.json) {
    std::string out;
    JsonWriter writer(out);
    writer.Object([&] {
      writer.Field("status", "signed");
      writer.Field("code", code);
      writer.Field("scheduleId", ticket.schedule);
      writer.Field("seat", ticket.seat);
      writer.Field("concertDate", ticket.date);
    });
    std::puts(out.c_str());
  } else {
    fmt::print("signed  {}  date {}  schedule {}  seat {}; ask the server whether it was cancelled\n", code,
               FormatDate(ticket.date), ticket.schedule, ticket.seat);
  }
  return kExitDone;
}

Result<HttpAnswer, OperatorError> AskServer(const Invocation& invocation, const HttpCall& call) {
  if (!invocation.Has("url")) {
    auto server = OperatorServer::Reach(invocation.config);
    if (!server) return OperatorError{server.error()};
    return server->Ask(call);
  }
  auto client = AdminClient(invocation.Text("url"), invocation.config);
  if (!client) return OperatorError{client.error()};
  client->SetTimeout(kAnswerTimeout);
  auto answer = client->Call(call);
  if (!answer) return OperatorError{answer.error()};
  if (answer->status != 200) return OperatorError{answer->body, answer->status};
  return std::move(*answer);
}

}  // namespace

std::vector<VerbFlag> TicketVerifyFlags() {
  return {
      {"url", "URL", "", "URL of the server (default: the server of the data folder)"},
      {"jwks", "FILE", "",
       "Check only the signature of a QR code's text, offline, with the server's /.well-known/jwks.json"},
  };
}

int RunTicketVerify(const Invocation& invocation) {
  const auto& text = invocation.arguments.front();
  if (invocation.Has("jwks")) return VerifyOffline(invocation, text);
  // Other text is no ticket, and may not be safe in a path.
  if (!ParseTicket(text) && !NumberOfCode(text)) return PrintUnknown(invocation);
  HttpCall call;
  call.target = "/api/v1/tickets/" + text;
  const auto answer = AskServer(invocation, call);
  if (answer) return PrintReport(invocation, answer->body);
  const auto& error = answer.error();
  return error.status == 404 ? PrintUnknown(invocation) : Fail(error.sentence);
}

}  // namespace maejin::cli
