"""The command line: help, errors, configuration."""
import json
import re
import subprocess

import harness
import pytest


def test_the_version_is_one_line_or_json():
    assert harness.run("version")[1].startswith("maejin 0.")
    assert harness.run("--version")[1] == harness.run("version")[1]
    assert "version" in json.loads(harness.run("version", "--json")[1])


def test_help_lists_the_verbs_and_hides_the_tools_of_tests():
    code, out, _ = harness.run("--help")
    assert code == 0
    assert "serve" in out and "demo" in out and "config" in out
    assert "table" not in harness.run("config", "--help")[1]
    assert "--version" in out and "check, show" in out
    assert "--redis URL" in harness.run("serve", "--help")[1]
    assert "soldouts" in harness.run("import", "--help")[1]


@pytest.mark.parametrize("words", [[], ["serve"], ["config"], ["import", "soldouts"]])
def test_help_verb_prints_the_same_as_the_help_flag(words):
    assert harness.run("help", *words) == harness.run(*words, "--help")
    assert harness.run("help", *words)[0] == 0


@pytest.mark.parametrize("words, usage", [
    (["verify"], "maejin verify [OPTIONS] FILE\n"),
    (["data", "import"], "maejin data import [OPTIONS] FILE\n"),
    (["report", "write"], "maejin report write [OPTIONS] CONCERT\n"),
    (["help"], "maejin help [OPTIONS] [VERB...]\n"),
])
def test_usage_line_has_brackets_only_around_what_may_be_left_out(words, usage):
    out = harness.run(*words, "--help")[1]
    assert usage in out and "Positionals:\n  " in out and " ..." not in out


def test_help_explains_settings_only_of_verbs_that_take_them():
    for words in ([], ["serve"], ["config", "show"]):
        assert "Precedence of settings" in harness.run(*words, "--help")[1]
    for verb in ("sandbox-pay", "completions", "man", "snippet", "version"):
        assert "Precedence of settings" not in harness.run(verb, "--help")[1]


@pytest.mark.parametrize("arguments, complaint", [
    ([], "maejin needs a verb, such as serve or demo."),
    (["--nonsense"], "maejin needs a verb, such as serve or demo."),
    (["migrate"], "migrate needs --mysql"),
    (["rehearse", "--url", "http://shop.example"], "with an IP address or localhost"),
    (["snippet"], "snippet needs nginx|njs|"),
    (["verify-shuffle"], "verify-shuffle needs FILE"),
    (["import", "soldouts"], "import soldouts needs FILE"),
    (["data", "import"], "data import needs FILE"),
    (["data", "export"], "data export needs FILE"),
    (["completions"], "completions needs SHELL"),
    (["import", "soldouts", "a", "b"], "import soldouts takes 1 FILE, not 2"),
    (["data", "import", "a", "b"], "data import takes 1 FILE, not 2"),
    (["help", "data", "import", "a"], "help takes 2 VERB, not 3"),
    (["version", "a"], "version does not take a"),
    (["import", "soldouts", "a", "--format", "xml"], "--format is csv or ndjson"),
    (["rankings", "prune"], "--before MONTH is missing"),
    (["rankings", "prune", "--before"], "--before"),
    (["config", "show", "--listen", "a", "--listen", "b"], "--listen"),
    (["rankings", "export", "--board", "x"], "--board is"),
    (["rankings", "export", "--format", "x"], "--format is"),
    (["sandbox-pay", "--listen", "nonsense"], "--listen must be an address"),
    (["verify-shuffle", "a", "--number", "0"], "--number must be"),
])
def test_invalid_command_line_exits_with_2_and_the_reason(arguments, complaint, tmp_path):
    code, out, err = harness.run(*arguments, cwd=tmp_path)
    assert (code, out) == (2, "") and complaint in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments, hint", [
    (["servee"], "Did you mean serve?"),
    (["config", "chek"], "Did you mean check?"),
    (["servee", "--help"], "Did you mean serve?"),
    (["config", "chek", "--help"], "Did you mean check?"),
    (["help", "servee"], "Did you mean serve?"),
    (["config"], "config needs one of: check, show"),
    (["serve", "--lisen", "127.0.0.1:0"], "Did you mean --listen?"),
    (["serve", "--lisen=127.0.0.1:0"], "Did you mean --listen?"),
    (["demo", "--fan", "3"], "Did you mean --fans?"),
    ([], "--help"),
])
def test_misspelt_word_exits_with_2_and_a_suggestion(arguments, hint):
    code, out, err = harness.run(*arguments)
    assert (code, out) == (2, "")
    assert hint in err


def test_misspelt_variable_or_setting_stops_serve(tmp_path):
    code, _, err = harness.run("serve", "--data", tmp_path / "d", env={"MAEJIN_TIMEZON": "UTC"})
    assert code == 2 and "MAEJIN_TIMEZON" in err and "MAEJIN_TIMEZONE" in err
    (tmp_path / "maejin.toml").write_text('[auth]\nuser = "trusted"\n')
    code, _, err = harness.run("serve", "--data", tmp_path / "d", cwd=tmp_path)
    assert code == 2 and "maejin.toml:2" in err and "auth.users" in err
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("verb", [["serve"], ["config", "check"]])
@pytest.mark.parametrize("flag, value", [
    ("--http-trusted-proxies", "10.0.0/8"),
    ("--http-trusted-proxies", "10.0.0.0/33"),
    ("--http-cors-origins", "shop.example"),
    ("--http-cors-origins", "https://shop.example/"),
    ("--http-cors-origins", "https://shop.example,https://Shop.example"),
    ("--http-cors-origins", "https://shop.example:443"),
    ("--timezone", "Asia/Seol"),
    ("--payment-sandbox-url", "127.0.0.1:9090"),
])
def test_invalid_value_is_refused_before_anything_is_created(verb, flag, value, tmp_path):
    code, out, err = harness.run(*verb, "--data", tmp_path / "d", flag, value)
    assert (code, out) == (2, "") and "must be" in err and value in err
    assert list(tmp_path.iterdir()) == []


def test_maejin_config_names_the_file_unless_the_flag_does(tmp_path):
    (tmp_path / "a.toml").write_text('timezone = "UTC"\n')
    (tmp_path / "b.toml").write_text('timezone = "Asia/Tokyo"\n')

    def zone(*arguments, file="a.toml"):
        code, out, err = harness.run("config", "show", "--json", *arguments, cwd=tmp_path,
                                     env={"MAEJIN_CONFIG": file})
        return json.loads(out)["timezone"]["value"] if code == 0 else (code, err)

    assert zone() == "UTC"
    assert zone("--config", "b.toml") == "Asia/Tokyo"
    assert zone(file="") == "Asia/Seoul"
    code, err = zone(file="none.toml")
    assert code == 2 and "none.toml" in err


@pytest.mark.parametrize("arguments", [
    ["rankings", "export"],
    ["rankings", "rebuild"],
    ["rankings", "prune", "--before", "2025-01"],
    ["keys", "rotate"],
    ["data", "export", "file"],
    ["data", "import", "none"],
    ["import", "soldouts", "/dev/null"],
])
def test_a_mistyped_data_folder_is_not_created(arguments, tmp_path):
    (tmp_path / "other").mkdir()
    for folder in ("typo", "other"):
        code, _, err = harness.run(*arguments, "--data", folder, cwd=tmp_path)
        assert code == 1
        assert "cannot read none" in err or f"there is no data folder at {folder}" in err
    assert [path.name for path in tmp_path.rglob("*")] == ["other"]


def test_data_export_refuses_a_folder_with_a_running_server(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        code, _, err = harness.run("data", "export", tmp_path / "file", "--data", tmp_path / "data")
        assert code == 1 and f"http://127.0.0.1:{server.port}" in err and "stop it" in err
        assert not (tmp_path / "file").exists()
    assert harness.run("data", "export", tmp_path / "file", "--data", tmp_path / "data")[0] == 0


def test_missing_and_invalid_shuffle_files_have_different_errors(tmp_path):
    (tmp_path / "empty").write_text("")
    for file, why in (("none", "cannot read none"), (".", "cannot read ."), ("empty",
                                                                             "holds no published shuffle")):
        code, out, err = harness.run("verify-shuffle", file, cwd=tmp_path)
        assert (code, out) == (1, "") and why in err


def test_snippet_paths_are_routes_of_the_server(client):
    code, snippet, _ = harness.run("snippet", "nginx", "--maejin", f"http://127.0.0.1:{client.port}",
                                   "--room", "7", "--on-gate-error", "hold")
    assert code == 0
    paths = re.findall(rf"proxy_pass http://127.0.0.1:{client.port}(/[^;]*);", snippet)
    assert sorted(paths) == ["/api/v1/rooms/7/entries/me", "/gate/return?room=7", "/gate?room=7"]
    assert [client.get(path).status for path in sorted(paths)[1:]] == [401, 401]
    proxied = re.compile(re.search(r"location ~ (\S+)", snippet).group(1))
    page = client.get("/wait/main").text
    asked = ["/wait/main", "/api/v1/time", *re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)]
    assert len(asked) > 2 and all(proxied.match(path) for path in asked)
    assert {client.get(path).status for path in asked} == {200}
    assert "location ~" not in harness.run("snippet", "nginx", "--on-gate-error", "hold", "--wait",
                                           "https://wait.example/wait/main")[1]
    code, _, error = harness.run("snippet", "nginx", "--on-gate-error", "retry")
    assert code == 2 and "admit or hold" in error


def test_serve_refuses_non_loopback_address_without_auth_users(tmp_path):
    code, _, err = harness.run("serve", "--data", tmp_path / "d", "--listen", "0.0.0.0:0")
    assert code == 2 and "auth.users" in err


def test_serve_refuses_an_invalid_database_address(tmp_path):
    code, _, err = harness.run("serve", "--data", tmp_path / "d", "--mysql", "x://127.0.0.1")
    assert code == 2 and "must start with mysql://" in err


def test_serve_with_mysql_requires_redis(tmp_path):
    code, _, err = harness.run("serve", "--data", tmp_path / "d", "--mysql", "mysql://127.0.0.1/maejin")
    assert code == 2 and "--redis" in err


def test_serve_refuses_an_invalid_redis_address(tmp_path):
    code, _, err = harness.run("serve", "--data", tmp_path / "d", "--redis", "x://127.0.0.1")
    assert code == 2 and "redis: the address must begin with" in err


def test_serve_names_a_redis_that_it_cannot_reach(tmp_path):
    code, _, err = harness.run("serve", "--data", tmp_path / "d", "--listen", "127.0.0.1:0", "--redis",
                               "redis://127.0.0.1:1/0")
    assert code == 1
    assert "maejin: cannot reach Redis at redis://127.0.0.1:1/0: Connection refused\n" in err


def test_config_show_prints_value_and_origin(tmp_path):
    (tmp_path /
     "maejin.toml").write_text('timezone = "UTC"\n[http]\ncors-origins = ["https://shop.example"]\n')
    code, out, _ = harness.run("config", "show", "--origin", "--json", "--threads", "3", cwd=tmp_path,
                               env={"MAEJIN_LOG_LEVEL": "debug"})
    shown = json.loads(out)
    assert code == 0
    assert shown["timezone"] == {"value": "UTC", "origin": "maejin.toml:1"}
    assert shown["http.cors-origins"]["value"] == "https://shop.example"
    assert shown["log.level"] == {"value": "debug", "origin": "MAEJIN_LOG_LEVEL"}
    assert shown["threads"] == {"value": "3", "origin": "--threads"}
    assert shown["listen"]["origin"] == "default"


def test_config_show_hides_secrets(tmp_path):
    secret = tmp_path / "redis"
    secret.write_text("redis://:hunter2@127.0.0.1\n")
    code, out, _ = harness.run("config", "show", env={"MAEJIN_REDIS_FILE": str(secret)})
    assert code == 0 and "hunter2" not in out and "(secret)" in out


def test_config_check_accepts_or_names_the_fault(tmp_path):
    assert harness.run("config", "check", cwd=tmp_path)[0] == 0
    code, _, err = harness.run("config", "check", "--timezone", "Asia/Seol", cwd=tmp_path)
    assert code == 2 and "Asia/Seol" in err


def test_doctor_finds_unusable_folder_and_readable_key(tmp_path):
    code, out, _ = harness.run("doctor", "--json", "--data", tmp_path / "d")
    findings = {f["about"]: f["health"] for f in json.loads(out)}
    assert code == 0 and findings["data"] == "ok" and findings["fsync"] in ("ok", "warning")
    assert not (tmp_path / "d").exists() and list(tmp_path.iterdir()) == []
    (tmp_path / "key").write_text("0123456789abcdef\n")
    (tmp_path / "key").chmod(0o644)
    code, out, _ = harness.run("doctor", "--data", tmp_path / "d", "--admin-key-file", tmp_path / "key")
    assert code == 1 and "chmod o=" in out
    (tmp_path / "key").chmod(0o640)
    _, out, _ = harness.run("doctor", "--data", tmp_path / "d", "--admin-key-file", tmp_path / "key")
    assert "readable by other users" in out
    code, out, _ = harness.run("doctor", "--data", "/proc/none", "--admin-key-file", tmp_path / "missing")
    assert code == 1 and "does not exist" in out


def test_completions_contain_verbs_and_flags():
    code, script, _ = harness.run("completions", "bash")
    assert code == 0
    ask = 'COMP_WORDS=(maejin config sh); COMP_CWORD=2; _maejin; echo "${COMPREPLY[@]}"\n' \
          'COMP_WORDS=(maejin serve --lis); COMP_CWORD=2; _maejin; echo "${COMPREPLY[@]}"\n'
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["show", "--listen"]
    assert harness.run("completions", "tcsh")[0] == 2


SERVERS = {"serve", "demo", "sandbox-pay"}
JSON_ALWAYS = {"events follow", "rankings export", "report write"}
WITHOUT_A_RESULT = {"events mail", "snippet", "completions", "man", "help"}  # logs, or a text of another kind


def test_every_verb_with_a_result_takes_the_json_flag():
    script = harness.run("completions", "bash")[1]
    flags = dict(re.findall(r"^    '([^']+)'\) choices=\"(--help[^\"]*)\" ;;$", script, re.M))
    without = {verb for verb, choices in flags.items() if "--json" not in choices.split()}
    assert without == SERVERS | JSON_ALWAYS | WITHOUT_A_RESULT
    page = harness.run("man")[1].replace("\\-", "-")
    sections = re.split(r"^\.TP\n\.B (?!-)", page.split(".SH SETTINGS")[0], flags=re.M)[1:]
    with_flag = [section for section in sections if "\n.B --json\n" in section]
    assert [any(section.startswith(verb + " ") for verb in flags.keys() - without) for section in with_flag
            ] == [True] * len(flags.keys() - without)


def test_the_manual_page_names_every_setting():
    code, page, _ = harness.run("man")
    settings = json.loads(harness.run("config", "show", "--json")[1])
    assert code == 0 and page.startswith(".TH MAEJIN 1")
    page = page.replace("\\-", "-")
    assert [name for name in settings if "--" + name.replace(".", "-") not in page] == []
    keys = {name: f"({name}; MAEJIN_{re.sub('[.-]', '_', name).upper()}; default: " for name in settings}
    assert [name for name, key in keys.items() if key not in page] == []
    assert "Number of simulated fans (default: 300)." in page
    assert "3 (an invariant is broken) and 4 (not sold out)" in page
