// Which settings a running server takes over.
#pragma once

#include "app/application.h"
#include "config/config.h"

namespace maejin::app {

// The settings that differ, and whether they need a restart.
Application::ReloadReport CompareSettings(const config::Settings& running, const config::Settings& fresh);

}  // namespace maejin::app
