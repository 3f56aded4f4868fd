// `maejin verify-shuffle FILE`: anybody recomputes the draw of a pre-queue from what was published.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// FILE is the answer of GET /api/v1/rooms/{eventId}/shuffle, or - for standard input. With --number N also
// prints where that number was drawn to.
int RunVerifyShuffle(const Invocation& invocation);

}  // namespace maejin::cli
