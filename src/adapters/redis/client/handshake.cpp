#include "adapters/redis/client/handshake.h"

namespace maejin::redis {
namespace {

// ROLE: an array whose first element is the role.
const std::string& DecodeRole(const Reply& reply) { return reply.At(0).text; }

}  // namespace

Handshake::Handshake(const Address& address, bool must_be_primary) {
  const auto add = [&](Step step, Command command) {
    steps_.push_back(step);
    commands_.push_back(std::move(command));
  };
  if (!address.password.empty()) {
    Command auth{"AUTH"};
    if (!address.user.empty()) auth.Word(address.user);
    add(Step::kAuth, auth.Word(address.password));
  }
  if (address.database != 0) add(Step::kSelect, Command{"SELECT"}.Word(address.database));
  add(Step::kName, Command{"CLIENT", "SETNAME", "maejin"});
  add(Step::kServer, Command{"INFO", "server"});
  if (must_be_primary) add(Step::kRole, Command{"ROLE"});
}

Handshake::Next Handshake::OnReply(const Reply& reply) {
  const auto step = steps_[at_++];
  if (step == Step::kAuth && reply.is_error()) error_ = "Redis refused user or password";
  if (step == Step::kSelect && reply.is_error()) error_ = "Redis refused the database: " + reply.text;
  // NOAUTH: Redis requires a password, and the address has none. Other errors of CLIENT SETNAME do no harm.
  if (step == Step::kName && reply.IsError("NOAUTH")) error_ = "Redis requires a password";
  if (step == Step::kServer && !reply.is_error()) server_ = InfoField(reply.text, "run_id");
  if (step == Step::kRole && DecodeRole(reply) != "master") error_ = "the node is not the primary";
  if (!error_.empty()) return Next::kFailed;
  return at_ == steps_.size() ? Next::kReady : Next::kMore;
}

}  // namespace maejin::redis
