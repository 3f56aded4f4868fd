// A concert's poster or logo: PUT and DELETE for operators, GET for every client.
#pragma once

#include "server/router.h"
#include "usecase/manage_picture.h"

namespace maejin::http {

// `manage` outlives the router.
void AddPictureRoutes(Router& router, ManagePicture& manage);

}  // namespace maejin::http
