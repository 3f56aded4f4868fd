// `maejin events mail`: follows the event feed and mails the customers; resumes where it stopped.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> EventsMailFlags();
int RunEventsMail(const Invocation& invocation);

}  // namespace maejin::cli
