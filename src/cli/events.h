// `maejin events follow`: prints events, or runs a command for each, and resumes where it stopped.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> EventsFollowFlags();
int RunEventsFollow(const Invocation& invocation);

}  // namespace maejin::cli
