// The table of all verbs of the command line.
#pragma once

#include <span>

#include "cli/common/verb.h"

namespace maejin::cli {

// In help order.
std::span<const Verb> Verbs();

}  // namespace maejin::cli
