// `maejin verify-shuffle FILE`: recomputes the draw of a pre-queue from the published data.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

// FILE is the answer of GET /api/v1/rooms/{eventId}/shuffle, or - for standard input. With --number N also
// prints the drawn position of that number.
int RunVerifyShuffle(const Invocation& invocation);

}  // namespace maejin::cli
