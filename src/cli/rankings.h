// `maejin rankings rebuild | prune | export`: maintenance of the boards.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RunRankingsRebuild(const Invocation& invocation);
int RunRankingsPrune(const Invocation& invocation);
int RunRankingsExport(const Invocation& invocation);

std::vector<VerbFlag> RankingsExportFlags();

}  // namespace maejin::cli
