#include "http/pages/routes.h"

#include "base/json_writer.h"
#include "http/pages/error_pages.h"
#include "http/pages/event_pages.h"
#include "http/pages/plain_pages.h"
#include "http/pages/wait_page.h"
#include "http/problem.h"

namespace maejin::http {
namespace {

using Library = std::shared_ptr<const PageLibrary>;

Route AtOnce(std::string pattern, InlineHandler handler) {
  Route route;
  route.pattern = std::move(pattern);
  route.inline_handler = std::move(handler);
  return route;
}

Route Page(const Library& library, std::string pattern, std::string_view name) {
  return AtOnce(std::move(pattern), [library, name](const Request& request, Response& response) {
    library->AnswerPage(name, request, response);
    return true;
  });
}

bool AnswerProblemPage(const Library& library, const Request& request, Response& response) {
  const auto* problem = FindProblem(request.params[0]);
  if (!problem) {
    ErrorPages(library).Write(Refusal::kNotFound, request, response);
    return true;
  }
  // The API is documented in English and Korean.
  const bool korean = PageLanguage(request) == Language::kKorean;
  const std::vector<PageText> texts = {
      {"code", std::string(problem->code)},
      {"status", std::to_string(problem->status) + " " + std::string(problem->title_en)},
      {"detail", std::string(korean ? problem->detail_ko : problem->detail_en)}};
  library->AnswerFilled("problem.html", texts, request, response);
  return true;
}

bool AnswerTime(const Clock& clock, Response& response) {
  JsonWriter json(response.body);
  json.Object([&] { json.Field("now", clock.Now()); });
  return true;
}

using ConcertPages = std::shared_ptr<EventPages>;

// The waiting room's page: with a script, or, with ?plain=1, filled in by the server.
void AddEventRoutes(Router& router, const PagesRoutes& deps, const ConcertPages& pages) {
  const auto& library = deps.library;
  const auto plain = std::make_shared<const PlainPages>(deps.plain, library);
  Route page;
  page.pattern = "/events/{eventId}";
  page.handler = [plain, pages](const Request& request, Response& response) {
    const bool filled = !request.query.empty() && request.Query("plain");
    return filled ? plain->Show(request, response) : pages->Show(request, response);
  };
  router.Add(std::move(page));
  Route act;
  act.method = Method::kPost;
  act.pattern = "/events/{eventId}/plain";
  act.priority = Priority::kJoin;
  act.handler = [plain](const Request& request, Response& response) { return plain->Act(request, response); };
  router.Add(std::move(act));
  router.Add(AtOnce("/events/{eventId}/draw", [pages](const Request& request, Response& response) {
    pages->ShowPage("draw.html", request, response);
    return true;
  }));
}

// Seats and bookings; with ?plain=1 the server fills the seats page in.
void AddBookingPages(Router& router, const PagesRoutes& deps, const ConcertPages& pages) {
  const auto plain = std::make_shared<const PlainBooking>(deps.booking, deps.plain, deps.library);
  using Act = Task<Outcome<Done>> (PlainBooking::*)(const Request&, Response&) const;
  const auto add = [&](Method method, const char* pattern, Priority priority, Act act) {
    router.Add({.method = method,
                .pattern = pattern,
                .priority = priority,
                .handler = [plain, act](const Request& request, Response& response) {
                  return ((*plain).*act)(request, response);
                }});
  };
  Route seats;
  seats.pattern = "/events/{eventId}/seats";
  seats.handler = [plain](const Request& request, Response& response) {
    return plain->ShowSeats(request, response);
  };
  seats.inline_handler = [pages](const Request& request, Response& response) {
    if (!request.query.empty() && request.Query("plain")) return false;
    pages->ShowPage("seats.html", request, response);
    return true;
  };
  router.Add(std::move(seats));
  add(Method::kPost, "/events/{eventId}/seats/plain", Priority::kHold, &PlainBooking::Hold);
  add(Method::kGet, "/events/{eventId}/bookings", Priority::kHold, &PlainBooking::List);
  add(Method::kGet, "/events/{eventId}/bookings/{id}", Priority::kHold, &PlainBooking::Show);
  add(Method::kPost, "/events/{eventId}/bookings/{id}", Priority::kPay, &PlainBooking::Act);
}

void AddWaitRoute(Router& router, const Library& library, const PlainPagesParts& parts) {
  const auto page = std::make_shared<const WaitPage>(parts, library);
  router.Add({.pattern = "/wait/{room}",
              .priority = Priority::kJoin,
              .handler = [page](const Request& request, Response& response) {
                return page->Show(request, response);
              }});
}

}  // namespace

void AddPagesRoutes(Router& router, const PagesRoutes& deps) {
  const auto& library = deps.library;
  router.Add(Page(library, "/", "home.html"));
  AddWaitRoute(router, library, deps.plain);
  const auto pages = std::make_shared<EventPages>(deps.plain.concert, deps.clock, deps.public_url, library);
  AddEventRoutes(router, deps, pages);
  AddBookingPages(router, deps, pages);
  router.Add(Page(library, "/me", "me.html"));
  router.Add(Page(library, "/rankings", "rankings.html"));
  router.Add(Page(library, "/console", "console.html"));
  router.Add(Page(library, "/docs", "docs.html"));
  router.Add(AtOnce("/docs/problems/{code}", [library](const Request& request, Response& response) {
    return AnswerProblemPage(library, request, response);
  }));
  router.Add(AtOnce("/assets/{name}", [library](const Request& request, Response& response) {
    library->AnswerAsset("assets/" + std::string(request.params[0]), request, response);
    return true;
  }));
  router.Add(AtOnce("/client/{name}", [library](const Request& request, Response& response) {
    library->AnswerClient("client/" + std::string(request.params[0]), request, response);
    return true;
  }));
  router.Add(AtOnce("/sw.js", [library](const Request& request, Response& response) {
    library->AnswerClient("sw.js", request, response);
    return true;
  }));
  router.Add(AtOnce("/favicon.svg", [library](const Request& request, Response& response) {
    library->AnswerAsset("favicon.svg", request, response);
    return true;
  }));
  router.Add(AtOnce("/api/v1/time", [&clock = deps.clock](const Request&, Response& response) {
    return AnswerTime(clock, response);
  }));
}

}  // namespace maejin::http
