// The model of the ranking tests: facts with many ties, and every board as a plain sort. Shares no ordering
// code with the product.
#pragma once

#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "domain/booking/booking_event.h"
#include "domain/ranking/board.h"
#include "store/ranking_store.h"

namespace maejin {

inline const TimeZone kSeoul = *TimeZone::Find("Asia/Seoul");
inline const Time kRankingNow = *ParseTime("2026-01-02T12:00:00Z");

ConcertSoldOut ConcertFact(ConcertId id, Time opening, Millis duration, std::int64_t dates = 1);
ScheduleSoldOut ScheduleFact(ScheduleId id, Time start, Millis duration);

BoardWindow At(BoardId board, const char* day);
BoardWindow At(BoardId board, Time instant);

// A row of the model; uses no class of the product.
struct PlainRow {
  std::int64_t duration_ms = 0;
  std::int64_t dates = 0;
  std::int64_t started_ms = 0;
  std::int64_t id = 0;
};
// `seconds`: durations count in whole seconds.
using PlainLess = bool (*)(const PlainRow& a, const PlainRow& b, bool seconds);
bool RightOrder(const PlainRow& a, const PlainRow& b, bool seconds);

// Every board of concerts and schedules of a history. The first fact of an id wins.
class BruteForce {
 public:
  explicit BruteForce(PlainLess less = RightOrder) : less_(less) {}

  void Add(const BookingEvent& event);
  std::map<BoardWindow, std::vector<std::int64_t>> Boards() const;

 private:
  PlainLess less_;
  std::map<ConcertId, ConcertSoldOut> concerts_;
  std::map<ScheduleId, ScheduleSoldOut> schedules_;
};

// Sell-outs with many ties, in windows within and past their retention.
std::vector<BookingEvent> RandomHistory(std::mt19937& chance, std::size_t count);

// The ids of a board, read from the store.
std::vector<std::int64_t> Ids(RankingStore& store, const BoardWindow& board, std::int64_t count = 1'000'000);

}  // namespace maejin
