"""Exit codes, and that no traceback reaches the user."""

from collections.abc import Callable

import click
import pytest

from reports.commands import shell


def ending(work: Callable[[], object]) -> int:
    """The exit code of a command that does ``work``."""

    @click.command()
    def command() -> object:
        return work()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["command"])
        with pytest.raises(SystemExit) as end:
            shell.run(command)
    assert isinstance(end.value.code, int)
    return end.value.code


def throw(error: BaseException) -> Callable[[], object]:
    """Work that ends with ``error``."""

    def work() -> object:
        raise error

    return work


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_a_command_ends_with_what_it_returns(code: int) -> None:
    assert ending(lambda: code) == code
    assert ending(lambda: None) == 0


def test_an_unexpected_error_is_one_line_that_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending(throw(KeyError("layout.tensor\nsecond line"))) == 70
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("internal error: KeyError: 'layout.tensor")
    assert "test_shell.py:" in said
    assert "report it" in said
    assert "Traceback" not in said


def test_the_trace_is_there_for_those_who_ask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TONNAGE_TRACEBACK", "1")
    assert ending(throw(KeyError("x"))) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_full_disk_a_wrong_call_and_ctrl_c_each_have_their_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending(throw(shell.CannotWrite("out/a.pdf", OSError(28, "No space left on device")))) == 3
    assert capsys.readouterr().err == (
        "error: cannot write out/a.pdf: No space left on device; free some space, or choose another place\n"
    )
    assert ending(throw(click.UsageError("no such option"))) == 2
    assert ending(throw(KeyboardInterrupt())) == 130
    assert ending(throw(click.exceptions.Abort())) == 130


def test_the_worst_file_decides() -> None:
    assert shell.worst([]) == 0
    assert shell.worst([0, 1, 0]) == 1
    assert shell.worst([1, 2, 0]) == 2
    assert shell.worst([70, 3, 2]) == 70


def test_text_from_files_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    shell.complain("a\x1b[31mred\x07\n\ttab")
    assert capsys.readouterr().err == "a�[31mred�\n\ttab\n"
