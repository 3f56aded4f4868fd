// `maejin rehearse --through URL`: visitors walk from a site to the line and back, as browsers do. Shows
// whether a connector works (docs/integrate.md). Needs no key: it sees what a visitor sees.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

int RehearseThrough(const Invocation& invocation);

}  // namespace maejin::cli
