#include "cli/top/top_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top/display_width.h"
#include "cli/top/top_text.h"

namespace maejin::cli {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

constexpr const char* kUrl = "http://127.0.0.1:8080";
const Time kStart = *ParseTime("2026-11-16T02:50:00Z");

TopReading At(int seconds, std::string_view metrics) {
  TopReading reading;
  reading.at = kStart + Seconds(seconds);
  reading.metrics = ParseMetrics(metrics);
  reading.ready = true;
  return reading;
}

RoomReading Room(std::string id, std::int64_t waiting, std::int64_t serving = 0) {
  return {std::move(id), "open", waiting, 5, 10, serving, {}};
}

ConcertReading Concert(std::int64_t id, std::string status, std::int64_t free, std::int64_t held = 0) {
  return {id, "매진 라이브", std::move(status), "", 100, free, held};
}

std::optional<double> ValueOf(const TopView& view, std::string_view group, std::string_view name) {
  for (const auto& figure : view.figures) {
    if (figure.group == group && figure.name == name) return figure.value;
  }
  return {};
}

std::string TextOf(const std::vector<TopLine>& lines) {
  std::string text;
  for (const auto& line : lines) text += line.text + "\n";
  return text;
}

std::vector<std::string> RoomIds(const TopView& view) {
  std::vector<std::string> ids;
  for (const auto& room : view.rooms) ids.push_back(room.room.id);
  return ids;
}

std::vector<std::int64_t> ConcertIds(const TopView& view) {
  std::vector<std::int64_t> ids;
  for (const auto& concert : view.concerts) ids.push_back(concert.concert.id);
  return ids;
}

TEST(TopView, RatesComeFromTwoReadingsAndErrorsFromTheStatus) {
  const auto before = At(0,
                         "maejin_http_requests_total{status=\"200\"} 100\n"
                         "maejin_http_requests_total{status=\"503\"} 10\n");
  const auto now = At(2,
                      "maejin_http_requests_total{status=\"200\"} 150\n"
                      "maejin_http_requests_total{status=\"404\"} 4\n"
                      "maejin_http_requests_total{status=\"503\"} 16\n"
                      "maejin_rooms_waiting 7\n");
  const auto view = MakeTopView(kUrl, now, &before, &before);
  EXPECT_THAT(ValueOf(view, "requests", "perSecond"), Optional(30.0));
  EXPECT_THAT(ValueOf(view, "requests", "errorsPerSecond"), Optional(3.0));
  EXPECT_THAT(ValueOf(view, "requests", "refusedPerSecond"), Optional(2.0));
  EXPECT_THAT(ValueOf(view, "line", "waiting"), Optional(7.0));
}

TEST(TopView, RateIsUnknownAtFirstAndNeverNegativeAfterARestart) {
  const auto before = At(0, "maejin_http_requests_total{status=\"200\"} 1000\n");
  const auto now = At(2, "maejin_http_requests_total{status=\"200\"} 6\n");
  EXPECT_EQ(ValueOf(MakeTopView(kUrl, now, nullptr, nullptr), "requests", "perSecond"), std::nullopt);
  EXPECT_THAT(ValueOf(MakeTopView(kUrl, now, &before, &before), "requests", "perSecond"), Optional(3.0));
  const auto same_instant = At(0, "maejin_http_requests_total{status=\"200\"} 2000\n");
  EXPECT_EQ(ValueOf(MakeTopView(kUrl, same_instant, &before, &before), "requests", "perSecond"),
            std::nullopt);
}

TEST(TopView, PerMinuteRatesUseTheEarlierReading) {
  auto earlier = At(0, "maejin_room_admissions_total 0\n");
  auto before = At(28, "maejin_room_admissions_total 100\n");
  auto now = At(30, "maejin_room_admissions_total 100\n");
  EXPECT_THAT(ValueOf(MakeTopView(kUrl, now, &before, &earlier), "line", "admittedPerMinute"),
              Optional(200.0));
}

TEST(TopView, RoomsAreSortedByWaitingFansAndHaveTitles) {
  auto now = At(0, "");
  now.rooms = {Room("main", 3), Room("7", 900), Room("8", 0), Room("10", 3)};
  now.concerts = {Concert(7, "OPEN", 10)};
  const auto view = MakeTopView(kUrl, now, nullptr, nullptr);
  EXPECT_THAT(RoomIds(view), ElementsAre("7", "10", "main", "8"));
  EXPECT_EQ(view.rooms[0].title, "매진 라이브");
  EXPECT_EQ(view.rooms[2].title, "");
  EXPECT_THAT(ValueOf(view, "line", "waiting"), Optional(906.0)) << "summed if /metrics has no total";
}

TEST(TopView, RoomRateUsesAdmissionsElseTheServingNumber) {
  auto earlier = At(0, "");
  auto now = At(30, "");
  earlier.rooms = {Room("counted", 0, 90), Room("restarted", 0), Room("rising", 0, 10), Room("anew", 0, 50)};
  now.rooms = {Room("counted", 0, 12), Room("restarted", 0), Room("rising", 0, 25), Room("anew", 0, 2),
               Room("new", 0, 2)};
  earlier.rooms[0].admitted = 100;
  now.rooms[0].admitted = 110;
  earlier.rooms[1].admitted = 100;
  now.rooms[1].admitted = 4;
  std::map<std::string, std::optional<double>> pace;
  for (const auto& room : MakeTopView(kUrl, now, &earlier, &earlier).rooms)
    pace[room.room.id] = room.admitted_per_minute;
  EXPECT_THAT(pace["counted"], Optional(20.0));
  EXPECT_THAT(pace["restarted"], Optional(8.0));
  EXPECT_THAT(pace["rising"], Optional(30.0));
  EXPECT_EQ(pace["anew"], std::nullopt);
  EXPECT_EQ(pace["new"], std::nullopt);
}

TEST(TopView, OpenConcertsPrecedeSoldOutAndOthersAreOmitted) {
  auto earlier = At(0, "");
  auto now = At(60, "");
  now.rooms = {Room("3", 100), Room("2", 5)};
  now.concerts = {Concert(1, "SOLD_OUT", 0),  Concert(2, "OPEN", 70, 10), Concert(3, "OPEN", 50),
                  Concert(4, "SCHEDULED", 1), Concert(5, "CLOSED", 1),    Concert(6, "CANCELLED", 1)};
  earlier.concerts = {Concert(2, "OPEN", 90), Concert(3, "OPEN", 40)};
  const auto view = MakeTopView(kUrl, now, &earlier, &earlier);
  EXPECT_THAT(ConcertIds(view), ElementsAre(3, 2, 1));
  EXPECT_EQ(view.concerts[1].sold, 20);
  EXPECT_THAT(view.concerts[1].sold_per_minute, Optional(DoubleNear(10, 1e-9)));
  EXPECT_THAT(view.concerts[0].sold_per_minute, Optional(0.0)) << "refunds do not make it negative";
  EXPECT_EQ(view.concerts[2].sold_per_minute, std::nullopt);
}

TopView Busy(int rooms, int concerts) {
  auto now = At(0, "maejin_http_requests_total{status=\"200\"} 1\nmaejin_rooms_waiting 1234567\n");
  now.checks = {{"journal", true}, {"redis", true}};
  for (int i = 0; i < rooms; ++i) now.rooms.push_back(Room(std::to_string(i + 1), 1'000'000 - i));
  for (int i = 0; i < concerts; ++i) now.concerts.push_back(Concert(i + 1, "OPEN", 70, 10));
  now.server = ServerReading{"0.2.0", kStart - Seconds(3 * 3600 + 5 * 60), {}};
  return MakeTopView(kUrl, now, nullptr, nullptr);
}

TEST(TopText, FitsEveryWindowSize) {
  const auto view = Busy(50, 50);
  for (const auto columns : {1U, 10U, 20U, 40U, 80U, 81U, 200U}) {
    for (const auto rows : {1U, 2U, 5U, 10U, 23U, 60U}) {
      const auto lines = TopLines(view, {columns, rows});
      EXPECT_LE(lines.size(), rows);
      for (const auto& line : lines) EXPECT_LE(DisplayWidth(line.text), columns) << line.text;
    }
  }
}

TEST(TopText, SaysHowManyRowsAreOmitted) {
  const auto text = TextOf(TopLines(Busy(50, 2), {80, 23}));
  EXPECT_THAT(text, HasSubstr("… and 38 more\n")) << text;
  EXPECT_THAT(text, HasSubstr("ON SALE"));
  EXPECT_THAT(text, HasSubstr("2 매진 라이브"));
  EXPECT_THAT(TextOf(TopLines(Busy(3, 2), {80, 23})), Not(HasSubstr("more")));
}

TEST(TopText, ShowsHeadHealthFiguresAndTables) {
  const auto text = TextOf(TopLines(Busy(2, 1), {80, 23}));
  EXPECT_THAT(text, HasSubstr("maejin 0.2.0  http://127.0.0.1:8080  up 3 h 05 min  02:50:00 UTC\n"));
  EXPECT_THAT(text, HasSubstr("ready   journal ok   redis ok\n"));
  EXPECT_THAT(text, HasSubstr("requests     -   errors -   refused -")) << text;
  EXPECT_THAT(text, HasSubstr("line         waiting 1,234,567"));
  EXPECT_THAT(text, HasSubstr("1 매진 라이브"));
  EXPECT_THAT(text, Not(HasSubstr("seats "))) << "missing metrics are omitted";
}

TEST(TopText, NarrowWindowDropsColumnsOnTheRight) {
  const auto text = TextOf(TopLines(Busy(1, 0), {40, 23}));
  EXPECT_THAT(text, HasSubstr("WAITING"));
  EXPECT_THAT(text, Not(HasSubstr("SERVING")));
}

TEST(TopText, UnreadyOrUnreachableServerIsAnAlarm) {
  auto now = At(0, "");
  now.ready = false;
  now.checks = {{"redis", false}};
  const auto lines = TopLines(MakeTopView(kUrl, now, nullptr, nullptr), {80, 23});
  EXPECT_EQ(lines[1].text, "NOT READY   redis DOWN");
  EXPECT_EQ(lines[1].style, LineStyle::kAlarm);
  const Outage outage{kUrl, kStart + Seconds(75), kStart, "connection refused"};
  const auto gone = TopLines(outage, {80, 23});
  EXPECT_EQ(gone[1].text, "NO ANSWER since 02:50:00 UTC (75 s)");
  EXPECT_EQ(gone[1].style, LineStyle::kAlarm);
  EXPECT_EQ(TopJson(outage),
            R"({"at":"2026-11-16T02:51:15.000Z","url":"http://127.0.0.1:8080","reachable":false,)"
            R"("since":"2026-11-16T02:50:00.000Z","error":"connection refused"})");
}

TEST(TopText, TitleCannotControlTheTerminal) {
  auto now = At(0, "");
  now.concerts = {Concert(1, "OPEN", 1)};
  now.concerts[0].title = "\033]0;gone\a\u202e매진\n";
  now.notes = {"\033[2J"};
  for (const auto& line : TopLines(MakeTopView(kUrl, now, nullptr, nullptr), {80, 23}))
    EXPECT_EQ(line.text.find_first_of("\033\a\n"), std::string::npos) << line.text;
}

TEST(TopReading, ParsesAnswersAndRejectsOthers) {
  TopReading reading;
  EXPECT_TRUE(ReadReadiness(R"({"draining":true,"checks":{"redis":false},"status":"unready"})", reading));
  EXPECT_TRUE(reading.draining && !reading.ready);
  EXPECT_THAT(reading.checks, ElementsAre(std::pair<std::string, bool>("redis", false)));
  reading.metrics = ParseMetrics("maejin_room_admitted_total{room=\"9\"} 4\n");
  EXPECT_TRUE(ReadRooms(
      R"({"rooms":[{"eventId":"9","state":"paused","waiting":4,"entered":2,"capacity":8,"serving":31}, 5]})",
      reading));
  ASSERT_EQ(reading.rooms.size(), 1U);
  EXPECT_EQ(reading.rooms[0].state, "paused");
  EXPECT_THAT(reading.rooms[0].serving, Optional(31));
  EXPECT_THAT(reading.rooms[0].admitted, Optional(4.0));
  EXPECT_TRUE(ReadSystem(R"({"version":"1.2.3","startedAt":"bad","backEnds":{"bookings":"here"}})", reading));
  EXPECT_EQ(reading.server->version, "1.2.3");
  EXPECT_EQ(reading.server->started_at, std::nullopt);
  for (const auto* body : {"", "x", "[]", "{}", "{\"rooms\":1}", "{\"concerts\":{}}", "{\"checks\":[]}"}) {
    TopReading other;
    EXPECT_FALSE(ReadReadiness(body, other) || ReadRooms(body, other) || ReadSystem(body, other) ||
                 ReadConcerts(body, other))
        << body;
  }
}

TEST(TopReading, RoomsInMetricsReadsTheRoomSeries) {
  const auto rooms =
      RoomsInMetrics(ParseMetrics("maejin_room_waiting{room=\"main\"} 9\nmaejin_room_entered{room=\"main\"} "
                                  "2\nmaejin_room_capacity{room=\"main\"} 5\n"
                                  "maejin_room_admitted_total{room=\"main\"} 44\n"));
  ASSERT_EQ(rooms.size(), 1U);
  EXPECT_EQ(rooms[0].id, "main");
  EXPECT_EQ(rooms[0].waiting, 9);
  EXPECT_EQ(rooms[0].entered, 2);
  EXPECT_EQ(rooms[0].capacity, 5);
  EXPECT_THAT(rooms[0].admitted, Optional(44.0));
  EXPECT_TRUE(RoomsInMetrics({}).empty());
}

}  // namespace
}  // namespace maejin::cli
