// The waiting room's answers as JSON. The place's is written by hand: it is the answer to every poll.
#pragma once

#include <string>
#include <string_view>

#include "usecase/enter_room.h"

namespace maejin::http {

// {token, status, rank, aheadCount, position, number, pollAfterMs, eta, outlook, notice, state, expiresIn}
// `token` is one that the server made or checked: it needs no escaping.
void AppendPlace(const PlaceReport& report, std::string_view token, std::string& out);

// {status, token, expiresIn, number, pass}; without a pass where none was wanted.
void AppendEntered(const Entered& entered, std::string& out);

void AppendServing(const Serving& serving, std::string& out);
// All settings, as the operator sees and sets them, with the room's present figures.
void AppendRoom(const RoomInfo& room, std::string& out);
// What is published of a room's draws: the commitments, and the seeds of those that were drawn.
void AppendShuffles(const RoomInfo& room, std::string& out);

}  // namespace maejin::http
