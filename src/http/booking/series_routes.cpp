#include "http/booking/series_routes.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "http/concert_in.h"

namespace maejin::http {
namespace {

void WriteSeries(std::string& out, const SaleSeriesView& view) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("intervalSeconds", KeepSaleSeries::kEvery.count() / 1000);
    json.OptionalField("openedAt", view.opened_at);
    json.Array("points", [&] {
      for (const auto& point : view.points) {
        json.Object([&] {
          json.Field("at", point.at);
          json.Field("arrivals", point.arrivals);
          json.Field("admissions", point.admissions);
          json.Field("waiting", point.waiting);
          json.Field("entered", point.entered);
          json.Field("held", point.held);
          json.Field("sold", point.sold);
          json.Field("revenue", point.revenue);
          json.Field("refused", point.refused);
          json.Field("declined", point.declined);
          json.Field("expired", point.expired);
          const auto micros = point.p99.count();
          json.RawOrNull("p99Ms", micros > 0 ? fmt::format("{}", static_cast<double>(micros) / 1000) : "");
        });
      }
    });
    json.Array("marks", [&] {
      for (const auto& mark : view.marks) {
        json.Object([&] {
          json.Field("at", mark.at);
          json.Field("actor", mark.actor);
          json.Field("action", mark.action);
          json.Field("detail", mark.detail);
        });
      }
    });
  });
}

Task<Outcome<Done>> GetSeries(const KeepSaleSeries& series, const Request& request, Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  Time after{};
  if (const auto text = request.Query("after")) {
    const auto parsed = ParseTime(*text);
    if (!parsed) co_return Refused{Refusal::kInvalidField, "after: must be an RFC 3339 time"};
    after = *parsed;
  }
  const auto view = co_await series.Read(*id, after);
  if (!view) co_return view.error();
  WriteSeries(response.body, *view);
  co_return Done{};
}

}  // namespace

void AddSeriesRoutes(Router& router, const KeepSaleSeries& series) {
  Route route;
  route.pattern = "/api/v1/concerts/{id}/series";
  route.access = Access::kAdmin;
  route.handler = [&series](const Request& request, Response& response) {
    return GetSeries(series, request, response);
  };
  router.Add(std::move(route));
}

}  // namespace maejin::http
