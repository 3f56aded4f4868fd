// A concert's poster: PUT and DELETE for operators, GET for everybody.
#pragma once

#include "server/router.h"
#include "usecase/manage_poster.h"

namespace maejin::http {

// `manage` outlives the router.
void AddPosterRoutes(Router& router, ManagePoster& manage);

}  // namespace maejin::http
