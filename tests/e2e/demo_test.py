"""`maejin demo` sells out, prints the ranking and removes its folder."""
import harness


def test_a_small_demo_ends_with_both_concerts_in_the_ranking(tmp_path):
    code, out, err = harness.run("demo", "--fans", 40, "--seats", 12, "--opens-in", 1, "--seed", 7,
                                 "--exit-when-sold-out", "--listen", "127.0.0.1:0", timeout=400,
                                 env={"TMPDIR": str(tmp_path)})
    assert code == 0, err
    assert out.startswith("maejin: listening on http://127.0.0.1:")
    ranking = out[out.index("Sold out. The ranking:"):]
    assert "1." in ranking and "2." in ranking
    assert "매진 라이브" in ranking and "골목 콘서트" in ranking
    assert list(tmp_path.iterdir()) == []


def test_demo_with_fewer_fans_than_seats_sells_out():
    code, out, err = harness.run("demo", "--fans", 3, "--seats", 8, "--opens-in", 0, "--exit-when-sold-out",
                                 "--listen", "127.0.0.1:0", timeout=240)
    assert code == 0, err
    assert "매진 라이브" in out[out.index("Sold out."):]


def test_demo_keeps_a_given_folder(tmp_path):
    code, _, err = harness.run("demo", "--fans", 20, "--seats", 4, "--opens-in", 0, "--exit-when-sold-out",
                               "--data", tmp_path / "kept", "--listen", "127.0.0.1:0", timeout=240)
    assert code == 0, err
    assert (tmp_path / "kept" / "maejin.db").exists()


def test_demo_with_bad_numbers_is_a_usage_error():
    code, _, err = harness.run("demo", "--fans", "none")
    assert code == 2 and "--fans must be a whole number" in err
