#include "http/ranking/admin_routes.h"

#include <vector>

#include "base/json_writer.h"
#include "http/json_body.h"
#include "http/json_pieces.h"
#include "http/parse_number.h"
#include "http/problem.h"
#include "http/ranking/answers.h"
#include "http/ranking/sold_out_history.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

Task<Outcome<Done>> TakePieces(ImportSoldOuts& import, std::vector<JsonPieces::Piece>& pieces) {
  for (auto& piece : pieces) {
    if (piece.too_long) {
      import.Reject(piece.line, std::string(Code(Refusal::kPayloadTooLarge)));
      continue;
    }
    auto history = ParseSoldOutHistory(piece.text);
    if (!history) {
      import.Reject(piece.line, std::string(Code(history.error().why)),
                    std::string(FieldOf(history.error())));
      continue;
    }
    const auto taken = co_await import.Take(piece.line, *std::move(history));
    if (!taken) co_return taken.error();
  }
  pieces.clear();
  co_return Done{};
}

// Reads the body to its end and writes all its rows.
Task<Outcome<Done>> ImportBody(ImportSoldOuts& import, BodyReader& body) {
  JsonPieces cutter(kLongestLine);
  std::vector<JsonPieces::Piece> pieces;
  bool whole = true;
  while (true) {
    const auto bytes = co_await body.Next();
    if (!bytes) co_return bytes.error();
    const bool end = bytes->empty();
    if (!end) cutter.Feed(*bytes, pieces);
    if (end) whole = cutter.Finish(pieces);
    const auto taken = co_await TakePieces(import, pieces);
    if (!taken) co_return taken.error();
    if (end) break;
  }
  if (!whole) import.Reject(cutter.line(), std::string(Code(Refusal::kInvalidJson)));
  const auto report = co_await import.Finish();
  if (!report) co_return report.error();
  co_return Done{};
}

Task<Outcome<Done>> Import(KeepRankings& keep, const Request& request, BodyReader& body, Response& response) {
  auto import = keep.StartImport();
  const auto done = co_await ImportBody(import, body);
  const auto recorded = co_await keep.RecordImport(import.report(), done.ok(), request.actor);
  if (!done) co_return done.error();
  if (!recorded) co_return recorded.error();
  WriteImportReport(response.body, import.report());
  co_return Done{};
}

Task<Outcome<Done>> Rebuild(KeepRankings& keep, const Request& request, Response& response) {
  const auto rebuilt = co_await keep.Rebuild(request.actor);
  if (!rebuilt) co_return rebuilt.error();
  JsonWriter json(response.body);
  json.Object([&] { json.Field("rebuilt", true); });
  co_return Done{};
}

// "2025-01", or a day.
std::optional<Date> ParseMonthOrDay(const std::string& text) {
  return ParseDate(text.size() == 7 ? text + "-01" : text);
}

Task<Outcome<Done>> Prune(KeepRankings& keep, const Request& request, Response& response) {
  JsonBody body(request);
  const auto before = ParseMonthOrDay(body.root().Text("before"));
  if (!before) body.root().Refuse("before", "must be a month, YYYY-MM, or a day, YYYY-MM-DD");
  if (auto refused = body.Finish()) co_return *refused;
  const auto pruned = co_await keep.Prune(*before, request.actor);
  if (!pruned) co_return pruned.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("boards", pruned->boards);
    json.Field("rows", pruned->rows);
  });
  co_return Done{};
}

Task<Outcome<Done>> Reconcile(KeepRankings& keep, Response& response) {
  const auto report = co_await keep.Reconcile();
  if (!report) co_return report.error();
  JsonWriter json(response.body);
  json.Object([&] {
    json.Field("checked", report->checked);
    json.Field("drift", report->drift);
  });
  co_return Done{};
}

Outcome<ConcertId> ConcertIn(const Request& request) {
  const auto concert = ParseNumber(request.params[0]);
  if (!concert) return Refused{Refusal::kNotRanked, std::string(request.params[0])};
  return *concert;
}

Task<Outcome<Done>> RemoveSoldOut(KeepRankings& keep, const Request& request, Response& response) {
  const auto concert = ConcertIn(request);
  if (!concert) co_return concert.error();
  response.status = 204;
  co_return co_await keep.Remove(*concert, request.actor);
}

Task<Outcome<Done>> CorrectSoldOut(KeepRankings& keep, const Request& request, Response& response) {
  const auto concert = ConcertIn(request);
  if (!concert) co_return concert.error();
  if (!HasJsonType(request)) co_return Refusal::kUnsupportedMediaType;
  auto history = ParseSoldOutHistory(request.body);
  if (!history) co_return history.error();
  auto& named = history->concert.concert;
  if (named != 0 && named != *concert)
    co_return Refused{Refusal::kInvalidField, "concertId: must be the concert of the path"};
  named = *concert;
  const auto corrected = co_await keep.Correct(std::move(*history), request.actor);
  if (!corrected) co_return corrected.error();
  JsonWriter json(response.body);
  json.Object([&] { json.Field("concertId", *concert); });
  co_return Done{};
}

Route AdminRoute(Method method, std::string pattern, Handler handler) {
  Route route;
  route.method = method;
  route.pattern = std::move(pattern);
  route.access = Access::kAdmin;
  route.handler = std::move(handler);
  return route;
}

Route AdminPost(std::string pattern, Handler handler) {
  return AdminRoute(Method::kPost, std::move(pattern), std::move(handler));
}

}  // namespace

void AddRankingAdminRoutes(Router& router, const RankingRoutes& deps) {
  auto& keep = *deps.keep;
  Route import;
  import.method = Method::kPost;
  import.pattern = "/api/v1/admin/soldouts";
  import.access = Access::kAdmin;
  import.upload = [&keep](const Request& request, BodyReader& body, Response& response) {
    return Import(keep, request, body, response);
  };
  router.Add(std::move(import));
  constexpr auto kSoldOut = "/api/v1/admin/soldouts/{concertId}";
  router.Add(AdminRoute(Method::kDelete, kSoldOut, [&keep](const Request& request, Response& response) {
    return RemoveSoldOut(keep, request, response);
  }));
  router.Add(AdminRoute(Method::kPut, kSoldOut, [&keep](const Request& request, Response& response) {
    return CorrectSoldOut(keep, request, response);
  }));
  router.Add(AdminPost("/api/v1/admin/rankings/rebuild", [&keep](const Request& request, Response& response) {
    return Rebuild(keep, request, response);
  }));
  router.Add(AdminPost("/api/v1/admin/rankings/prune", [&keep](const Request& request, Response& response) {
    return Prune(keep, request, response);
  }));
  router.Add(AdminPost("/api/v1/admin/rankings/reconcile",
                       [&keep](const Request&, Response& response) { return Reconcile(keep, response); }));
}

}  // namespace maejin::http
