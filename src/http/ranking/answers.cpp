#include "http/ranking/answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "domain/ranking/duration_text.h"

namespace maejin::http {
namespace {

DurationLanguage LanguageOf(Language language) {
  switch (language) {
    case Language::kKorean:
      return DurationLanguage::kKorean;
    case Language::kJapanese:
      return DurationLanguage::kJapanese;
    case Language::kChinese:
      return DurationLanguage::kChinese;
    default:
      return DurationLanguage::kEnglish;
  }
}

void DurationFields(JsonWriter& json, Millis duration, Language language) {
  json.Field("durationMillis", duration.count());
  json.Field("durationSeconds", InUnit(duration, DurationUnit::kSeconds));
  json.Field("duration", FormatDuration(duration, LanguageOf(language)));
}

void EntryFields(JsonWriter& json, const RankedConcert& entry, Language language) {
  json.Field("rank", entry.rank);
  json.Field("concertId", entry.concert);
  json.Field("title", entry.title);
  json.Field("artist", entry.artist);
  json.Field("venue", entry.venue);
  json.Field("dates", entry.dates);
  json.Field("bookingOpenAt", entry.booking_open_at);
  json.Field("soldOutAt", entry.sold_out_at);
  DurationFields(json, entry.sold_out_at - entry.booking_open_at, language);
}

void NameFields(JsonWriter& json, const ConcertNames& names) {
  json.Field("title", names.title);
  json.Field("artist", names.artist);
  json.Field("venue", names.venue);
}

// "37.5": one decimal, rounded down, so that 100 means every seat. Null if no seat is for sale, and while the
// two counts are of different moments: after a cancellation or a postponement the total changes first.
void PercentField(JsonWriter& json, std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part > whole) return json.Null("percent");
  const auto thousandths = part * 1000 / whole;
  json.Raw("percent", fmt::format("{}.{}", thousandths / 10, thousandths % 10));
}

void EntryFields(JsonWriter& json, const RankedSchedule& entry, Language language) {
  json.Field("rank", entry.rank);
  json.Field("scheduleId", entry.schedule);
  json.Field("concertId", entry.concert);
  // The entry of a "soldout" event has no names.
  if (!entry.names.title.empty()) NameFields(json, entry.names);
  json.Field("concertDate", entry.concert_date);
  json.Field("bookingOpenAt", entry.started_at);
  json.Field("soldOutAt", entry.sold_out_at);
  DurationFields(json, entry.sold_out_at - entry.started_at, language);
}

void EntryFields(JsonWriter& json, const RankedProgress& entry) {
  json.Field("rank", entry.rank);
  if (entry.schedule != 0) {
    json.Field("scheduleId", entry.schedule);
    json.Field("concertId", entry.concert);
    NameFields(json, entry.names);
  }
  json.Field("concertDate", entry.concert_date);
  json.Field("reserved", entry.reserved);
  json.Field("totalSeats", entry.total_seats);
  PercentField(json, entry.reserved, entry.total_seats);
}

template <class Entry, class Fields>
void WriteBoard(std::string& out, const RankingAnswer<Entry>& answer, Fields fields) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("window", Name(answer.board.window.kind));
    json.Field("key", answer.key);
    json.Field("total", answer.page.total);
    json.Array("entries", [&] {
      for (const auto& entry : answer.page.entries) json.Object([&] { fields(json, entry); });
    });
  });
}

std::int64_t IdOf(const RankedConcert& entry) { return entry.concert; }
std::int64_t IdOf(const RankedSchedule& entry) { return entry.schedule; }

template <class Entry>
void WriteRow(std::string& out, const RankingAnswer<Entry>& answer, std::int64_t id, bool around,
              Language language) {
  const auto& entries = answer.page.entries;
  const auto mine =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return IdOf(entry) == id; });
  JsonWriter json(out);
  json.Object([&] {
    json.Field("window", Name(answer.board.window.kind));
    json.Field("key", answer.key);
    json.Field("total", answer.page.total);
    if (mine != entries.end()) EntryFields(json, *mine, language);
    if (!around) return;
    json.Array("around", [&] {
      for (const auto& entry : entries) json.Object([&] { EntryFields(json, entry, language); });
    });
  });
}

SoldOutKey KeyOfEntry(const RankedConcert& entry) {
  return {entry.sold_out_at - entry.booking_open_at, entry.dates, entry.booking_open_at, entry.concert};
}

}  // namespace

void WriteRanking(std::string& out, const RankingAnswer<RankedConcert>& answer, Language language) {
  WriteBoard(out, answer, [&](JsonWriter& json, const auto& entry) { EntryFields(json, entry, language); });
}

void WriteRanking(std::string& out, const RankingAnswer<RankedSchedule>& answer, Language language) {
  WriteBoard(out, answer, [&](JsonWriter& json, const auto& entry) { EntryFields(json, entry, language); });
}

void WriteRanking(std::string& out, const RankingAnswer<RankedProgress>& answer) {
  WriteBoard(out, answer, [&](JsonWriter& json, const auto& entry) { EntryFields(json, entry); });
}

void WriteComposite(std::string& out, const RankingAnswer<RankedConcert>& answer, Language language) {
  WriteBoard(out, answer, [&](JsonWriter& json, const auto& entry) {
    EntryFields(json, entry, language);
    json.Field("score", CompositeScore(KeyOfEntry(entry)));
  });
}

void WriteRank(std::string& out, const RankingAnswer<RankedConcert>& answer, ConcertId concert, bool around,
               Language language) {
  WriteRow(out, answer, concert, around, language);
}

void WriteRank(std::string& out, const RankingAnswer<RankedSchedule>& answer, ScheduleId schedule,
               bool around, Language language) {
  WriteRow(out, answer, schedule, around, language);
}

void WriteProgressOf(std::string& out, const RankedProgress& progress) {
  JsonWriter json(out);
  json.Object([&] { EntryFields(json, progress); });
}

void WriteImportReport(std::string& out, const ImportReport& report) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("imported", report.imported);
    json.Field("skipped", report.skipped);
    json.Field("rejectedCount", report.rejected_count);
    json.Array("rejected", [&] {
      for (const auto& rejected : report.rejected) {
        json.Object([&] {
          json.Field("line", rejected.line);
          json.Field("code", rejected.code);
          if (!rejected.field.empty()) json.Field("field", rejected.field);
        });
      }
    });
  });
}

void WriteMovement(std::string& out, const RankingMovement& movement) {
  JsonWriter json(out);
  json.Object([&] {
    if (const auto* schedule = std::get_if<RankedSchedule>(&movement.entry)) {
      json.Field("kind", "schedule");
      EntryFields(json, *schedule, Language::kEnglish);
      return;
    }
    json.Field("kind", "concert");
    EntryFields(json, std::get<RankedConcert>(movement.entry), Language::kEnglish);
    json.Object("ranks", [&] {
      json.Field("daily", movement.ranks.daily);
      json.Field("weekly", movement.ranks.weekly);
      json.Field("monthly", movement.ranks.monthly);
      json.Field("all", movement.ranks.all);
    });
  });
}

void WriteMonthlySchedules(std::string& out, const RankingPage<RankedSchedule>& page) {
  JsonWriter json(out);
  json.Array([&] {
    for (const auto& entry : page.entries) {
      json.Object([&] {
        json.Field("ranking", entry.rank);
        json.Field("scheduleId", entry.schedule);
        json.Field("concertDate", entry.concert_date);
      });
    }
  });
}

void WriteProgressList(std::string& out, const RankingPage<RankedProgress>& page) {
  JsonWriter json(out);
  json.Array([&] {
    for (const auto& entry : page.entries) {
      json.Object([&] {
        json.Field("ranking", entry.rank);
        json.Field("concertDate", entry.concert_date);
        json.Field("reservations", entry.reserved);
      });
    }
  });
}

}  // namespace maejin::http
