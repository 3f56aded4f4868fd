"""A sample of the HTTP fuzzer (http_fuzz.py): requests made from openapi.yaml, with mutations."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import http_fuzz  # pylint: disable=wrong-import-position

SECONDS = 120 if os.environ.get("MAEJIN_ALL") else 6
SEED = int(os.environ.get("MAEJIN_SEED", "1"))


def test_requests_of_the_document_and_mutations_of_them_get_no_500_and_leave_no_growth(tmp_path):
    with http_fuzz.serve(tmp_path) as server:
        figures = http_fuzz.fuzz(server, SECONDS, SEED)
        http_fuzz.check_growth(figures)
        assert figures["requests"] > 100, figures
        assert {200, 201, 400, 401, 404} <= set(figures["statuses"]), figures
        assert server.stop() == 0


class Stub:
    """A server that only has what the judge needs."""
    admin_key = "x"


@pytest.mark.parametrize("status, body", [(500, "{}"), (200, '{"concerts": 7}')])
def test_control_a_500_and_an_undescribed_answer_are_found(status, body):
    fuzzer = http_fuzz.Fuzzer(Stub(), 1)
    answer = http_fuzz.harness.Answer(status, {"content-type": "application/json"}, body)
    described = ("/api/v1/concerts", http_fuzz.openapi.operations()["GET", "/api/v1/concerts"])
    with pytest.raises(http_fuzz.Found):
        fuzzer.judge("GET", "GET /api/v1/concerts", answer, described)


def test_control_growth_is_found():
    none = dict.fromkeys(http_fuzz.KEPT, 0)
    few = {"requests": 1000, "pages": 90, "rows": {**none, "place": 9, "reservations": 20}}
    many = {"requests": 9000, "pages": 190, "rows": {**none, "schedules": 10, "reservations": 220}}
    kept = http_fuzz.KEPT
    counted = 100 * http_fuzz.PAGE_BYTES + 10 * kept["schedules"] + 200 * kept["reservations"]
    most = http_fuzz.UNCOUNTED + counted

    def figures(growth, late):
        return {"after_a_third": {"bytes": 0, **few}, "at_the_end": {"bytes": growth, **late}}

    assert http_fuzz.check_growth(figures(most, many)) == (most, counted)
    for growth, late in [(most + 1, many), (most, few)]:
        with pytest.raises(http_fuzz.Found):
            http_fuzz.check_growth(figures(growth, late))
