#include "http/admin/event_routes.h"

#include <fmt/format.h>

#include "base/numbers.h"

namespace maejin::http {
namespace {

constexpr std::int64_t kMaxEvents = 1000;
constexpr std::int64_t kMaxWaitSeconds = 60;

// The number of this name in the query, or `fallback`. Refuses: kInvalidField.
Outcome<std::int64_t> NumberOfQuery(const Request& request, const char* name, std::int64_t fallback,
                                    std::int64_t least, std::int64_t most) {
  const auto text = request.Query(name);
  if (!text) return fallback;
  const auto number = ParseInt<std::int64_t>(*text, least, most);
  if (!number) return Refused{Refusal::kInvalidField, fmt::format("{}: must be {}…{}", name, least, most)};
  return *number;
}

Task<Outcome<Done>> GetEvents(const ReadEvents& read, const Request& request, Response& response) {
  const auto after = NumberOfQuery(request, "after", 0, 0, INT64_MAX);
  if (!after) co_return after.error();
  const auto limit = NumberOfQuery(request, "limit", 100, 1, kMaxEvents);
  if (!limit) co_return limit.error();
  const auto wait = NumberOfQuery(request, "wait", 0, 0, kMaxWaitSeconds);
  if (!wait) co_return wait.error();
  auto filter = EventFilter::Parse(request.Query("types").value_or(""));
  if (!filter) co_return filter.error();
  EventQuery query{*after, std::move(*filter), static_cast<std::size_t>(*limit)};
  const Millis longest = Seconds{*wait};
  const auto page = co_await read(std::move(query), longest);
  if (!page) co_return page.error();
  auto& body = response.body;
  body += "{\"events\":[";
  for (const auto& event : page->events) {
    if (&event != &page->events.front()) body += ',';
    body += event.json;
  }
  body += fmt::format("],\"next\":{}}}", page->next);
  co_return Done{};
}

}  // namespace

void AddEventRoutes(Router& router, ReadEvents read) {
  router.Add({.method = Method::kGet,
              .pattern = "/api/v1/admin/events",
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .handler = [read = std::move(read)](const Request& request, Response& response) {
                return GetEvents(read, request, response);
              }});
}

}  // namespace maejin::http
