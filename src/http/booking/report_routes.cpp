#include "http/booking/report_routes.h"

#include <fmt/format.h>

#include "http/booking/report_formats.h"
#include "http/concert_in.h"

namespace maejin::http {
namespace {

Task<Outcome<Done>> GetReport(const ReportSale& report, const Request& request, Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  const auto format = request.Query("format").value_or("json");
  if (format != "json" && format != "csv" && format != "html")
    co_return Refused{Refusal::kInvalidField, "format: must be json, csv or html"};
  const auto made = co_await report(*id);
  if (!made) co_return made.error();
  if (format == "json") {
    WriteReportJson(response.body, *made);
  } else if (format == "csv") {
    response.content_type = "text/csv; charset=utf-8";
    response.AddHeader("Content-Disposition", fmt::format("attachment; filename=\"report-{}.csv\"", *id));
    WriteReportCsv(response.body, *made);
  } else {
    response.content_type = "text/html; charset=utf-8";
    response.AddHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    WriteReportHtml(response.body, *made, request.language);
  }
  co_return Done{};
}

}  // namespace

void AddReportRoutes(Router& router, const ReportSale& report) {
  Route route;
  route.pattern = "/api/v1/concerts/{id}/report";
  route.access = Access::kAdmin;
  route.handler = [&report](const Request& request, Response& response) {
    return GetReport(report, request, response);
  };
  router.Add(std::move(route));
}

}  // namespace maejin::http
