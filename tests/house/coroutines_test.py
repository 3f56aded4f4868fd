"""GCC 12.2 miscompiles `c ? co_await a : co_await b` and rejects braced lists inside co_await."""
import re

import house


def awaited(code, start):
    """The operand of the co_await at `start`, up to the end of its statement or of its enclosing bracket."""
    depth, i = 0, start + len("co_await")
    while i < len(code):
        c = code[i]
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
            if depth < 0:
                break
        elif c == ";" or (c == "{" and depth == 0 and code[start:i].rstrip().endswith(")")):
            break
        i += 1
    return code[start:i]


def mistakes(source):
    code = house.code_of(source)
    for match in re.finditer(r"\bco_await\b", code):
        statement = code[max(code.rfind(c, 0, match.start()) for c in ";{}") + 1:match.start()]
        if "?" in statement:
            yield house.line_of(code, match.start()), "co_await inside a conditional expression"
        if "{" in awaited(code, match.start()):
            yield house.line_of(code, match.start()), "braces inside co_await"


def test_control_wrong_co_await_is_found():
    assert [what for _, what in mistakes("auto x = c ? co_await a() : co_await b();")] != []
    assert [what for _, what in mistakes("co_await F({1, 2});")] == ["braces inside co_await"]
    assert [what for _, what in mistakes("co_await F(Options{.a = 1});")] == ["braces inside co_await"]
    assert list(mistakes("if (co_await F(x)) { return; }")) == []
    assert list(mistakes("auto x = co_await F(y);\nif (c ? a : b) { co_await G(); }")) == []


def test_co_await_stands_in_plain_statements():
    wrong = [
        f"{file}:{line}: {what}" for file in house.sources() for line, what in mistakes(house.text(file))
    ]
    assert wrong == []
