// Builds the operators' rehearsal: the child process, the use case and its routes.
#pragma once

#include "app/back_ends.h"
#include "app/rehearsal_process.h"
#include "config/config.h"
#include "http/admin/rehearsal_routes.h"
#include "usecase/manage_rehearsal.h"

namespace maejin::app {

class RehearsalModule {
 public:
  // `config` is read by the constructor only; the others outlive the module.
  RehearsalModule(const BackEnds::Ports& ports, RoomContext rooms, ManageConcert& concerts,
                  const config::Config& config)
      : process_({config.admin_key_file, config.auth_key_file}, ports.clock),
        manage_({.runner = process_,
                 .rooms = rooms,
                 .concerts = concerts,
                 .audit = ports.audit,
                 .clock = ports.clock,
                 .real_money = config.payment.provider == config::PaymentKind::kCallback}) {}

  void AddRoutes(http::Router& router) { http::AddRehearsalRoutes(router, manage_); }
  // "http://127.0.0.1:8080": plain HTTP on this machine. Call once, before the first request.
  void SetUrl(std::string url) { process_.SetUrl(std::move(url)); }
  // Cancels a running rehearsal and waits for its end, at most half a minute. Call while the node answers.
  void Stop() { process_.Stop(); }

 private:
  RehearsalProcess process_;
  ManageRehearsal manage_;
};

}  // namespace maejin::app
