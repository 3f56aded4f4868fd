// The rankings as JSON: the names and the order of their fields.
#pragma once

#include <string>

#include "server/request.h"
#include "usecase/import_soldouts.h"
#include "usecase/read_ranking.h"

namespace maejin::http {

void WriteRanking(std::string& out, const RankingAnswer<RankedConcert>& answer, Language language);
void WriteRanking(std::string& out, const RankingAnswer<RankedSchedule>& answer, Language language);
void WriteRanking(std::string& out, const RankingAnswer<RankedProgress>& answer);
// Writes the composite board: each row also has its `score`, as a decimal string.
void WriteComposite(std::string& out, const RankingAnswer<RankedConcert>& answer, Language language);
// Writes the row of `concert`, and its neighbours if `around` is set.
void WriteRank(std::string& out, const RankingAnswer<RankedConcert>& answer, ConcertId concert, bool around,
               Language language);
void WriteRank(std::string& out, const RankingAnswer<RankedSchedule>& answer, ScheduleId schedule,
               bool around, Language language);
void WriteProgressOf(std::string& out, const RankedProgress& progress);
void WriteImportReport(std::string& out, const ImportReport& report);
// Writes the data of a "soldout" event of the stream.
void WriteMovement(std::string& out, const RankingMovement& movement);

// Plain JSON arrays, for the short paths of docs/requirements.md.
void WriteMonthlySchedules(std::string& out, const RankingPage<RankedSchedule>& page);
void WriteProgressList(std::string& out, const RankingPage<RankedProgress>& page);

}  // namespace maejin::http
