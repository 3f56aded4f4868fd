"""Waiting rooms: join, poll, enter, leave, and the short paths of requirements 003 and 004."""
import harness
import pytest

SHAPE = {
    "token", "status", "rank", "aheadCount", "position", "number", "pollAfterMs", "eta", "outlook", "notice",
    "state"
}


@pytest.fixture
def room(admin):
    """A room with a single slot."""
    concert = harness.create_concert(admin)
    assert admin.call("PUT", f"/api/v1/rooms/{concert['id']}", {"capacity": 1}).status == 200
    return concert["id"]


def poll(client, room, token):
    return client.call("GET", f"/api/v1/rooms/{room}/entries/me", headers={"X-Queue-Token": token})


def enter(client, room, token):
    return client.post(f"/api/v1/rooms/{room}/enter", headers={"X-Queue-Token": token})


def leave(client, room, token):
    return client.call("DELETE", f"/api/v1/rooms/{room}/entries/me", headers={"X-Queue-Token": token})


def test_joining_gives_a_place_and_joining_again_keeps_it(client, room):
    path = f"/api/v1/rooms/{room}/entries"
    first, again = client.post(path, {"userId": "ann"}), client.post(path, {"userId": "ann"})
    assert (first.status, again.status) == (201, 200)
    assert set(first.json) >= SHAPE
    assert [again.json[k]
            for k in ("token", "number", "rank")] == [first.json[k] for k in ("token", "number", "rank")]


def test_places_are_first_come_first_served(client, room):
    places = [harness.join(client, room, f"fan-{i}") for i in range(4)]
    assert [p["rank"] for p in places] == [0, 1, 2, 3]
    assert [p["aheadCount"] for p in places] == [0, 1, 2, 3]
    assert [p["position"] for p in places] == [1, 2, 3, 4]
    assert sorted(p["number"] for p in places) == [p["number"] for p in places]
    assert [poll(client, room, p["token"]).json["status"]
            for p in places] == ["ready", "waiting", "waiting", "waiting"]


def test_serving_names_the_order_of_the_pre_queue(client, admin, room):
    serving = lambda: client.get(f"/api/v1/rooms/{room}/serving").json
    assert serving()["order"] == "draw"
    assert admin.call("PATCH", f"/api/v1/rooms/{room}", {"order": "arrival"}).status == 200
    harness.until(lambda: serving()["order"] == "arrival")


def test_only_a_ready_fan_enters(client, room):
    ann, ben = harness.join(client, room, "ann"), harness.join(client, room, "ben")
    early = enter(client, room, ben["token"])
    assert (early.status, early.code) == (409, "not-your-turn")
    entered = enter(client, room, ann["token"])
    assert entered.status == 200
    assert entered.json["status"] == "entered" and entered.json["token"] == ann["token"]
    assert 0 < entered.json["expiresIn"] <= 300 and entered.json["pass"].count(".") == 2
    assert 1790 < entered.json["sessionEndsIn"] <= 1800, "polls extend the slot, not the session"
    inside = poll(client, room, ann["token"]).json
    assert 0 < inside["expiresIn"] <= 300 and 1700 < inside["sessionEndsIn"] <= 1800
    assert "sessionEndsIn" not in poll(client, room, ben["token"]).json
    assert (inside["status"], inside["rank"], inside["aheadCount"], inside["position"]) == ("entered", 0, 0,
                                                                                            0)
    full = enter(client, room, ben["token"])
    assert (full.status, full.code) == (409, "not-your-turn")


def test_enter_with_return_minimal_signs_no_pass(client, room):
    token = harness.join(client, room, "ann")["token"]
    headers = {"X-Queue-Token": token, "Prefer": "wait=5, return=minimal; x"}
    entered = client.post(f"/api/v1/rooms/{room}/enter", headers=headers)
    assert (entered.status, entered.headers["preference-applied"]) == (200, "return=minimal")
    assert entered.json["status"] == "entered" and "pass" not in entered.json
    assert enter(client, room, token).json["pass"].count(".") == 2, "it is there for the asking later"


def test_entering_again_takes_no_second_slot(admin, client):
    room = harness.create_concert(admin)["id"]
    token = harness.enter(client, room, "ann")
    assert enter(client, room, token).status == 200
    assert client.get(f"/api/v1/rooms/{room}/serving").json["entered"] == 1


def test_leaving_gives_the_slot_to_the_next_and_leaving_again_is_no_error(client, room):
    ann, ben = harness.join(client, room, "ann"), harness.join(client, room, "ben")
    assert enter(client, room, ann["token"]).status == 200
    assert leave(client, room, ann["token"]).status == 204
    assert leave(client, room, ann["token"]).status == 204
    assert enter(client, room, ben["token"]).status == 200
    gone = poll(client, room, ann["token"])
    assert (gone.status, gone.code) == (404, "not-queued")


def test_trusted_poll_by_user_name_is_answered(client, room):
    harness.join(client, room, "ann")
    named = client.call("GET", f"/api/v1/rooms/{room}/entries/me", headers={"X-User-Id": "ann"})
    assert named.status == 200 and named.json["status"] == "ready"
    stranger = client.call("GET", f"/api/v1/rooms/{room}/entries/me", headers={"X-User-Id": "zoe"})
    assert (stranger.status, stranger.code) == (404, "not-queued")


def test_serving_is_public_and_counts(client, room):
    harness.join(client, room, "ann")
    harness.join(client, room, "ben")
    serving = client.get(f"/api/v1/rooms/{room}/serving")
    assert set(serving.json) >= {"serving", "waiting", "entered", "capacity", "state"}
    assert (serving.json["waiting"], serving.json["entered"], serving.json["capacity"]) == (2, 0, 1)
    assert "max-age=1" in serving.headers["cache-control"]


def test_settings_change_by_the_field_and_keep_the_rest(admin, room):
    path = f"/api/v1/rooms/{room}"
    before = admin.get(path).json
    assert (before["admission"], before["tokenTtlSeconds"], before["sessionLimitSeconds"]) == ("claim", 300,
                                                                                               1800)
    changed = admin.call("PUT", path, {"tokenTtlSeconds": 120})
    assert changed.status == 200
    assert admin.get(path).json == {**before, "tokenTtlSeconds": 120}


def test_a_token_runs_out_and_gives_its_slot_back(admin, client, room):
    assert admin.call("PUT", f"/api/v1/rooms/{room}", {"tokenTtlSeconds": 1}).status == 200
    ann, ben = harness.join(client, room, "ann"), harness.join(client, room, "ben")
    assert enter(client, room, ann["token"]).status == 200
    harness.until(lambda: enter(client, room, ben["token"]).status == 200)
    gone = poll(client, room, ann["token"])
    assert (gone.status, gone.code) == (404, "not-queued")


def test_closed_room_refuses_joins(admin, client, room):
    assert admin.call("PUT", f"/api/v1/rooms/{room}", {"state": "closed"}).status == 200
    refused = client.post(f"/api/v1/rooms/{room}/entries", {"userId": "ann"})
    assert (refused.status, refused.code) == (409, "room-closed")


@pytest.mark.parametrize("damage", [
    lambda t: t[:-2] + ("AA" if t[-2:] != "AA" else "BB"), lambda t: t[:-4], lambda t: t + "x", lambda t: "x",
    lambda t: "A" * 300])
def test_a_forged_or_altered_token_is_refused(client, room, damage):
    token = harness.join(client, room, "ann")["token"]
    answer = poll(client, room, damage(token))
    assert (answer.status, answer.code) == (401, "token-invalid")
    assert poll(client, room, token).status == 200


def test_another_room_s_token_is_refused(admin, client, room):
    other = harness.create_concert(admin)["id"]
    token = harness.join(client, other, "ann")["token"]
    answer = poll(client, room, token)
    assert (answer.status, answer.code) == (401, "token-invalid")


def test_an_unknown_room_is_not_found(client):
    answer = client.post("/api/v1/rooms/999999/entries", {"userId": "ann"})
    assert (answer.status, answer.code) == (404, "room-not-found")


def test_the_site_wide_queue_lets_the_first_in_at_once(client):
    answer = client.post("/queue/token", {"userId": "solo"})
    assert answer.status == 200
    assert set(answer.json) >= {"token", "position", "expiresIn", "status"}
    assert (answer.json["status"], answer.json["position"]) == ("entered", 0)
    again = client.post("/queue/token", {"userId": "solo"}).json
    assert again["token"] == answer.json["token"], "an active token is used again"
    for asked in (client.call("GET", "/queue/status", headers={"X-Queue-Token": again["token"]}),
                  client.get(f"/queue/status?token={again['token']}")):
        assert asked.status == 200
        assert {k: asked.json[k] for k in ("status", "rank", "aheadCount", "position")} == {
            "status": "entered", "rank": 0, "aheadCount": 0, "position": 0}


def test_the_queue_of_an_event_by_the_short_path(client, room):
    answer = client.post("/queue/token", {"userId": "ann", "eventId": str(room)})
    assert answer.status == 200, answer
    assert harness.join(client, room, "ann")["token"] == answer.json["token"]


def test_an_event_s_id_may_be_a_number(client, room):
    answer = client.post("/queue/token", {"userId": "ann", "eventId": int(room)})
    assert answer.status == 200, answer
    assert poll(client, room, answer.json["token"]).status == 200


def test_room_settings_can_be_written_back_as_read(admin, room):
    path = f"/api/v1/rooms/{room}"
    read = admin.get(path).json
    written = admin.call("PUT", path, {**read, "capacity": 7})
    assert written.status == 200, written
    assert admin.get(path).json == {**read, "capacity": 7}
    refused = admin.call("PUT", path, {**read, "eventId": "another"})
    assert (refused.status, refused.json["field"]) == (400, "eventId")


def test_a_fan_with_two_names_is_refused(client, room):
    refused = client.post(f"/api/v1/rooms/{room}/entries", {"userId": "ann"}, {"X-User-Id": "ben"})
    assert (refused.status, refused.code) == (400, "invalid-field")
