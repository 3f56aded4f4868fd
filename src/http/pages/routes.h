// The pages for fans and operators, the API's documentation, and their files.
#pragma once

#include "base/clock.h"
#include "http/pages/plain_pages.h"
#include "server/router.h"

namespace maejin::http {

// All outlive the router.
struct PagesRoutes {
  const Clock& clock;
  // The waiting line without JavaScript.
  PlainPagesParts plain;
  // Web origins that may show fan pages in a frame.
  std::vector<std::string> frame_ancestors;
};

// /, /events/{eventId}, its /seats and /draw, /me, /sw.js, /wait/{room}, /rankings, /docs, /docs/problems/{code},
// /assets/{name}, /client/{name} (the browser client), /favicon.svg, and /api/v1/time, which keeps a page's
// countdown on the server's clock.
void AddPagesRoutes(Router& router, PagesRoutes deps);

}  // namespace maejin::http
