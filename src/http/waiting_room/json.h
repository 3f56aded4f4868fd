// The waiting room's answers as JSON. The answer to a poll is formatted by hand, because it is the most
// frequent one.
#pragma once

#include <string>
#include <string_view>

#include "usecase/enter_room.h"

namespace maejin::http {

// {token, status, rank, aheadCount, position, number, pollAfterMs, eta, outlook, notice, state, expiresIn}
// The server made or verified `token`: it needs no escaping.
void AppendPlace(const PlaceReport& report, std::string_view token, std::string& out);

// {status, token, expiresIn, number, pass, returnUrl}; without a pass if the client wants none, and without a
// returnUrl if it is empty.
void AppendEntered(const Entered& entered, std::string_view return_url, std::string& out);

void AppendServing(const Serving& serving, std::string& out);
// All settings, as the operator reads and writes them, with the room's current counts.
void AppendRoom(const RoomInfo& room, std::optional<Time> bypassed_until, std::string& out);
// Appends the published record of a room's draws: the commitments, and the seeds of completed draws.
void AppendShuffles(const RoomInfo& room, std::string& out);

}  // namespace maejin::http
