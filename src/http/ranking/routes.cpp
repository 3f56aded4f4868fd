#include "http/ranking/routes.h"

#include <memory>

#include "http/answer_cache.h"
#include "http/ranking/admin_routes.h"
#include "http/ranking/answers.h"
#include "http/ranking/query.h"

namespace maejin::http {
namespace {

enum class Freshness : std::uint8_t { kSoldOuts, kProgress };

// What the handlers share.
struct Rankings {
  explicit Rankings(const RankingRoutes& deps)
      : read(*deps.read), progress(*deps.progress), clock(*deps.clock), zone(deps.zone) {}

  std::optional<std::uint64_t> Version(Freshness of) const {
    const auto versions = read.VersionsAtOnce();
    if (!versions) return {};
    return of == Freshness::kSoldOuts ? versions->sold_outs : versions->progress;
  }
  // Sets headers and caches the answer if its version is known. `version` was read before the answer was
  // made.
  void Finish(const Request& request, Response& response, std::optional<std::uint64_t> version,
              std::optional<Time> valid_until) {
    if (!version) return AnswerCache::Complete(request, response);
    cache.Keep(request, {*version, valid_until.value_or(Time::max())}, response);
  }

  ReadRanking& read;
  ReadProgress& progress;
  const Clock& clock;
  const TimeZone zone;
  AnswerCache cache;
};
using Shared = std::shared_ptr<Rankings>;

RankingQuestion QuestionOf(RankingParameters& parameters) {
  return {.window = parameters.Window(WindowKind::kDaily),
          .at = parameters.Day("at"),
          .first = parameters.From(),
          .count = parameters.TopN()};
}

Task<Outcome<Done>> Concerts(Shared rankings, const Request& request, Response& response) {
  RankingParameters parameters(request);
  const auto question = QuestionOf(parameters);
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kSoldOuts);
  const auto answer = co_await rankings->read.Concerts(question);
  if (!answer) co_return answer.error();
  WriteRanking(response.body, *answer, request.language);
  rankings->Finish(request, response, version, answer->valid_until);
  co_return Done{};
}

Task<Outcome<Done>> Schedules(Shared rankings, const Request& request, Response& response) {
  RankingParameters parameters(request);
  auto question = QuestionOf(parameters);
  question.window = parameters.Window(WindowKind::kMonthly);
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kSoldOuts);
  const auto answer = co_await rankings->read.Schedules(question);
  if (!answer) co_return answer.error();
  WriteRanking(response.body, *answer, request.language);
  rankings->Finish(request, response, version, answer->valid_until);
  co_return Done{};
}

Task<Outcome<Done>> Composite(Shared rankings, const Request& request, Response& response) {
  RankingParameters parameters(request);
  const auto count = parameters.TopN(100);
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kSoldOuts);
  const auto answer = co_await rankings->read.Composite(count);
  if (!answer) co_return answer.error();
  WriteComposite(response.body, *answer, request.language);
  rankings->Finish(request, response, version, {});
  co_return Done{};
}

RankQuestion RankQuestionOf(RankingParameters& parameters, std::int64_t id, WindowKind fallback) {
  return {.id = id,
          .window = parameters.Window(fallback),
          .at = parameters.Day("at"),
          .around = parameters.Number("around", 0, 0, 50)};
}

Task<Outcome<Done>> RankOfConcert(Shared rankings, const Request& request, Response& response) {
  const auto id = IdParameter(request.params[0]);
  if (!id) co_return id.error();
  RankingParameters parameters(request);
  const auto question = RankQuestionOf(parameters, *id, WindowKind::kDaily);
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kSoldOuts);
  const auto answer = co_await rankings->read.RankOf(question);
  if (!answer) co_return answer.error();
  WriteRank(response.body, *answer, *id, question.around > 0, request.language);
  rankings->Finish(request, response, version, {});
  co_return Done{};
}

Task<Outcome<Done>> RankOfSchedule(Shared rankings, const Request& request, Response& response) {
  const auto id = IdParameter(request.params[0]);
  if (!id) co_return id.error();
  RankingParameters parameters(request);
  const auto question = RankQuestionOf(parameters, *id, WindowKind::kMonthly);
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kSoldOuts);
  const auto answer = co_await rankings->read.RankOfSchedule(question);
  if (!answer) co_return answer.error();
  WriteRank(response.body, *answer, *id, question.around > 0, request.language);
  rankings->Finish(request, response, version, {});
  co_return Done{};
}

Task<Outcome<Done>> Progress(Shared rankings, const Request& request, Response& response) {
  RankingParameters parameters(request);
  const auto by = request.Query("by").value_or("date");
  if (by != "date" && by != "schedule") parameters.Refuse("by: must be date or schedule");
  const ProgressQuestion question{.by = by == "schedule" ? ProgressBy::kSchedule : ProgressBy::kDate,
                                  .window = parameters.Window(WindowKind::kAll),
                                  .at = parameters.Day("at"),
                                  .first = parameters.From(),
                                  .count = parameters.TopN()};
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kProgress);
  const auto answer = co_await rankings->progress.Top(question);
  if (!answer) co_return answer.error();
  WriteRanking(response.body, *answer);
  rankings->Finish(request, response, version, answer->valid_until);
  co_return Done{};
}

Task<Outcome<Done>> ProgressOfDate(Shared rankings, const Request& request, Response& response) {
  const auto date = ParseDate(request.params[0]);
  if (!date) co_return Refused(Refusal::kInvalidField, "date: must be a day, YYYY-MM-DD");
  RankingParameters parameters(request);
  const auto window = parameters.Window(WindowKind::kAll);
  const auto at = parameters.Day("at");
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto progress = co_await rankings->progress.OfDate(*date, window, at);
  if (!progress) co_return progress.error();
  WriteProgressOf(response.body, *progress);
  response.cache = kShortly;
  co_return Done{};
}

Task<Outcome<Done>> MonthlySchedules(Shared rankings, const Request& request, Response& response) {
  RankingParameters parameters(request);
  const auto today = rankings->zone.LocalDay(rankings->clock.Now());
  const auto year = parameters.Number("year", static_cast<int>(today.year()), 1970, 9998);
  const auto month = parameters.Number("month", static_cast<unsigned>(today.month()), 1, 12);
  const bool current = !request.Query("year") || !request.Query("month");
  RankingQuestion question{.window = WindowKind::kMonthly, .count = parameters.TopN()};
  if (parameters.refusal()) co_return *parameters.refusal();
  question.at =
      std::chrono::year{static_cast<int>(year)} / std::chrono::month{static_cast<unsigned>(month)} / 1;
  const auto version = rankings->Version(Freshness::kSoldOuts);
  const auto answer = co_await rankings->read.Schedules(question);
  if (!answer) co_return answer.error();
  WriteMonthlySchedules(response.body, answer->page);
  // Without a month in the query the answer is valid until the current month ends.
  std::optional<Time> valid_until;
  if (current) valid_until = EndOf(WindowOf(WindowKind::kMonthly, today), rankings->zone);
  rankings->Finish(request, response, version, valid_until);
  co_return Done{};
}

Task<Outcome<Done>> ProgressList(Shared rankings, const Request& request, Response& response) {
  RankingParameters parameters(request);
  const ProgressQuestion question{.count = parameters.TopN()};
  if (parameters.refusal()) co_return *parameters.refusal();
  const auto version = rankings->Version(Freshness::kProgress);
  const auto answer = co_await rankings->progress.Top(question);
  if (!answer) co_return answer.error();
  WriteProgressList(response.body, answer->page);
  rankings->Finish(request, response, version, {});
  co_return Done{};
}

using Read = Task<Outcome<Done>> (*)(Shared, const Request&, Response&);

// A read that is answered from the cache while the boards are unchanged.
Route Cached(const Shared& rankings, std::string pattern, Freshness of, Read read) {
  Route route;
  route.pattern = std::move(pattern);
  route.has_age = true;
  route.handler = [rankings, read](const Request& request, Response& response) {
    return read(rankings, request, response);
  };
  route.inline_handler = [rankings, of](const Request& request, Response& response) {
    const auto version = rankings->Version(of);
    return version && rankings->cache.Serve(request, *version, rankings->clock.Now(), response);
  };
  return route;
}

}  // namespace

void AddRankingRoutes(Router& router, const RankingRoutes& deps) {
  const auto rankings = std::make_shared<Rankings>(deps);
  const auto add = [&](const char* pattern, Freshness of, Read read) {
    router.Add(Cached(rankings, pattern, of, read));
  };
  add("/api/v1/rankings/soldout", Freshness::kSoldOuts, Concerts);
  add("/api/v1/rankings/soldout/concerts/{id}", Freshness::kSoldOuts, RankOfConcert);
  add("/api/v1/rankings/soldout/top", Freshness::kSoldOuts, Composite);
  add("/api/v1/rankings/soldout/schedules", Freshness::kSoldOuts, Schedules);
  add("/api/v1/rankings/soldout/schedules/{id}", Freshness::kSoldOuts, RankOfSchedule);
  add("/api/v1/rankings/progress", Freshness::kProgress, Progress);
  add("/api/v1/rankings/progress/{date}", Freshness::kProgress, ProgressOfDate);
  add("/api/v1/concerts/rankings/soldout", Freshness::kSoldOuts, MonthlySchedules);
  add("/concerts/ranking", Freshness::kProgress, ProgressList);

  Route stream;
  stream.pattern = "/api/v1/rankings/stream";
  stream.stream = [out = deps.stream](const Request& request, std::shared_ptr<EventStream> listener) {
    return out->Listen(request, std::move(listener));
  };
  router.Add(std::move(stream));
  AddRankingAdminRoutes(router, deps);
}

}  // namespace maejin::http
