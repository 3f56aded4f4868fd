"""The built program has the protections that the compiler and the linker offer."""
import os
import re
import subprocess

import house

BINARY = os.environ.get("MAEJIN_BINARY", str(house.ROOT / "build/release/bin/maejin"))


def tool(*words):
    return subprocess.run([*words, BINARY], capture_output=True, text=True, check=True).stdout


def test_the_binary_is_position_independent_with_full_relro_and_no_executable_stack():
    dynamic, segments = tool("readelf", "-dW"), tool("readelf", "-lW")
    assert re.search(r"FLAGS_1.*\bNOW\b.*\bPIE\b", dynamic), "not PIE, or lazy binding"
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK\s.*\sRW\s", segments), "the stack is executable"
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic


def test_the_binary_checks_stacks_and_libc_calls():
    symbols = tool("readelf", "--dyn-syms", "-W")
    assert "__stack_chk_fail@" in symbols
    assert len(set(re.findall(r"\b__\w+_chk@", symbols))) >= 3, "no fortified libc calls"


def test_the_binary_checks_indexes_of_containers():
    assert "__glibcxx_assert_fail" in tool("readelf", "--dyn-syms", "-W")


def test_the_binary_says_that_it_supports_shadow_stacks():
    assert "SHSTK" in tool("readelf", "-nW") or "AArch64" in tool("readelf", "-hW")


def test_functions_begin_with_a_landing_pad_for_indirect_branches():
    code = tool("objdump", "-d", "--no-show-raw-insn", "--disassemble=main")
    main = re.search(r"<main>:\n\s*[0-9a-f]+:\s+(\w+)", code)
    assert main and main.group(1) in ("endbr64", "bti"), code[:300]
