"""Booking metrics in /metrics."""
import harness


def test_holds_payments_returns_and_refusals_are_counted(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        client = server.client()
        schedule = harness.create_concert(server.admin(), seats=5, room="none")["schedules"][0]["id"]
        brief = harness.create_concert(server.admin(), seats=1, room="none",
                                       holdSeconds=1)["schedules"][0]["id"]

        def count(name, label=""):
            return harness.metric(client, f"maejin_booking_{name}{label}")

        def refused(code):
            return harness.metric(client, f'maejin_refusals_total{{code="{code}"}}')

        def hold(seat, on=schedule):
            return harness.hold(client, on, [seat], "fan", "")

        assert count("holds_total") == 0 and count("seats", '{state="available"}') == 6
        paid, cancelled, refunded = (hold(seat).json for seat in (1, 2, 3))
        assert hold(1).code == "seat-held"
        assert count("seats", '{state="held"}') == 3
        for reservation in (paid, refunded):
            assert harness.pay(client, reservation, "fan").status == 200
        for reservation in (cancelled, refunded):
            path = f"/api/v1/reservations/{reservation['reservationId']}"
            assert client.call("DELETE", path, headers={"X-User-Id": "fan"}).status == 200
        assert hold(1).code == hold(1).code == "seat-taken"
        expired = hold(1, brief).json
        harness.until(lambda: count("holds_expired_total") == 1)
        assert harness.pay(client, expired, "fan").code == "hold-expired"
        assert count("holds_total") == 4
        assert count("holds_cancelled_total") == 1
        assert count("reservations_paid_total") == 2
        assert count("reservations_refunded_total") == 1
        assert refused("seat-held") == 1
        assert refused("seat-taken") == 2
        assert refused("hold-expired") == 1
        assert count("seats", '{state="assigned"}') == 1 and count("seats", '{state="available"}') == 5
        # Counters start at 0 after a restart; seat gauges are computed from the data.
        assert server.stop() == 0
    with harness.Server(tmp_path / "data") as again:
        assert harness.metric(again.client(), 'maejin_booking_seats{state="assigned"}') == 1
