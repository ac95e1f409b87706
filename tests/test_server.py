"""The language server end to end: `scn lsp` over stdio, driven by pygls' client.

Two files are open, one importing the other; one has a block that is still open, both have text beyond ASCII."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.editor_client import CLOSED, PARTS, PLAN, Editor, drive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name an address must escape."""
    place = tmp_path / "Pläne 🚀"
    place.mkdir()
    return place


def test_problems_as_one_types(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        (open_block,) = editor.problems["plan.scn"]
        assert (open_block.code, open_block.source) == ("E01", "scn")
        related = open_block.related_information
        assert related and editor.covered("plan.scn", related[0].location.range) == "{"
        assert await editor.type("plan.scn", CLOSED) == []
        (unit,) = await editor.type(
            "plan.scn",
            CLOSED.replace('require memory_headroom >= spare because "🚀 needs room"', 'let a = "🚀", let b = 3 Gbps'),
        )
        assert (unit.code, editor.covered("plan.scn", unit.range)) == ("E17", "Gbps")
        assert unit.severity == lsp.DiagnosticSeverity.Error
        assert "help: write Gb/s (bits) or GB/s (bytes)" in unit.message
        two = await editor.type(
            "plan.scn",
            CLOSED.replace("cluster = hopper", "cluster = hoper").replace("tokens  = 15T tokens", "tokens = 15"),
        )
        assert [editor.covered("plan.scn", p.range) for p in two] == ["hoper", "15"]

    drive(folder, session)


def test_unsaved_text_of_one_file_is_what_the_other_sees(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        await editor.type("plan.scn", CLOSED)
        del editor.problems["plan.scn"]
        assert await editor.type("parts.scn", PARTS.replace("let room", "let space")) == []
        while "plan.scn" not in editor.problems:
            editor.heard.clear()
            await asyncio.wait_for(editor.heard.wait(), 60)
        assert [editor.covered("plan.scn", p.range) for p in editor.problems["plan.scn"]] == ["room"]
        assert (folder / "parts.scn").read_text("utf-8") == PARTS
        closed = lsp.DidCloseTextDocumentParams(editor.document("parts.scn"))
        del editor.problems["plan.scn"]
        editor.client.text_document_did_close(closed)
        while "plan.scn" not in editor.problems:
            editor.heard.clear()
            await asyncio.wait_for(editor.heard.wait(), 60)
        assert editor.problems["plan.scn"] == []

    drive(folder, session)


def test_completion(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        kinds = await editor.complete("plan.scn", CLOSED + "cl|")
        assert {"cluster", "run", "sweep", "import", "let"} <= set(kinds)
        settings = await editor.complete("plan.scn", CLOSED + "cluster c {\n  no|")
        assert {"nodes", "gpu", "tier", "storage"} <= set(settings)
        assert "layers" not in settings
        assert "nodes bought or rented" in str(settings["nodes"].detail)
        inside = await editor.complete("plan.scn", CLOSED + 'run r from base {\n  let t = "🚀"\n  layout { ten|')
        assert {"tensor", "schedule"} <= set(inside) and "tokens" not in inside
        edit = inside["tensor"].text_edit
        assert isinstance(edit, lsp.TextEdit) and editor.covered("plan.scn", edit.range) == "ten"
        choices = await editor.complete("plan.scn", CLOSED + "run r from base {\n  layout { schedule = |")
        assert {"gpipe", "interleaved", "dualpipe_v"} <= set(choices)
        arguments = await editor.complete("plan.scn", CLOSED + "run r from base {\n  layout.schedule = interleaved(|")
        assert set(arguments) == {"virtual_stages"}
        units = await editor.complete("plan.scn", CLOSED + "cluster c {\n  tier pod { bandwidth = 400 G|")
        assert {"GB/s", "Gb/s"} <= set(units) and "GB" not in units
        assert {"hours", "days"} <= set(await editor.complete("plan.scn", CLOSED + "cluster c {\n  restart = 10 |"))
        prices = await editor.complete("plan.scn", CLOSED + "cluster c {\n  price = $2.10/|")
        assert "$2.10/gpu-hour" in prices
        clusters = await editor.complete("plan.scn", CLOSED + "run r {\n  cluster = |")
        assert {"hopper"} == set(clusters) and "Größe" in str(clusters["hopper"].detail)
        models = await editor.complete("plan.scn", CLOSED + "run r {\n  model = |")
        assert "zoo.llama-3.1-70b" in models
        assert set(await editor.complete("plan.scn", CLOSED + "run r from |")) == {"base", "wider"}
        results = await editor.complete("plan.scn", CLOSED + "run r from base {\n  require |")
        assert {"mfu", "memory_per_gpu", "spare", "room", "cluster.gpu.memory", "hopper", "min"} <= set(results)
        assert "model FLOPs" in str(results["mfu"].detail)
        assert "hopper.nodes" in await editor.complete("plan.scn", CLOSED + "run r from base {\n  require hopper.|")
        shown = await editor.complete("plan.scn", CLOSED + "report {\n  show = [mfu, step_time as |")
        assert {"ms", "s"} <= set(shown) and "GB" not in shown
        files = await editor.complete("plan.scn", 'import "|')
        assert {"parts.scn", "library/gpus.scn"} <= set(files) and "plan.scn" not in files
        assert await editor.complete("plan.scn", "# cl|") == {}

    drive(folder, session)


def test_hover(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        tensor = await editor.hover("plan.scn", "tensor = 8")
        assert "tensor-parallel degree" in tensor and "default `1`" in tensor and ">= 1" in tensor
        assert "= **8**, stated at plan.scn:12" in tensor
        assert "**80 GB**" in await editor.hover("plan.scn", "h.memory", "memory")
        nodes = await editor.hover("parts.scn", "nodes = 16")
        assert "= **16 nodes**, stated at parts.scn:7" in nodes
        inherited = await editor.hover("plan.scn", "layout.tensor = 4")
        assert "= **4**" in inherited
        spare = await editor.hover("plan.scn", ">= spare", "spare")
        assert "let **spare** = `2 * room`" in spare and "= 16 GB" in spare
        assert "let **room** = `8 GB`" in await editor.hover("plan.scn", "2 * room", "room")
        block = await editor.hover("plan.scn", "cluster = hopper", "hopper")
        assert 'cluster **hopper** "Two pods; Größe 16"' in block and "parts.scn:5" in block
        headroom = await editor.hover("plan.scn", "memory_headroom")
        assert "device memory that is left" in headroom and "GiB" in headroom
        assert "125_000_000 bytes per second" in (await editor.hover("parts.scn", "400 Gb/s", "Gb/s")).replace(
            "50_000_000_000", ""
        )
        assert "one training run" in await editor.hover("plan.scn", "run base", "run")
        assert "pipeline schedule" in await editor.hover("plan.scn", "interleaved")
        stages = await editor.hover("plan.scn", "virtual_stages")
        assert "model chunks per rank" in stages and "= **5**" in stages
        assert "of the installed library" in await editor.hover("plan.scn", '"library/models.scn"')
        assert await editor.hover("plan.scn", "edition") == ""

    drive(folder, session)


def test_definitions_across_imports_and_from(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        assert await editor.definition("plan.scn", "cluster = hopper", "hopper") == ("parts.scn", "hopper")
        assert await editor.definition("plan.scn", "h.memory") == ("parts.scn", "h")
        assert await editor.definition("plan.scn", "2 * room", "room") == ("parts.scn", "room")
        assert await editor.definition("plan.scn", ">= spare", "spare") == ("plan.scn", "spare")
        assert await editor.definition("plan.scn", "from base", "base") == ("plan.scn", "base")
        assert await editor.definition("plan.scn", "zoo.llama", "zoo") == ("plan.scn", "zoo")
        assert await editor.definition("plan.scn", "zoo.llama", "llama") == ("models.scn", "")
        assert await editor.definition("plan.scn", '"parts.scn"') == ("parts.scn", "edition 2026")
        assert await editor.definition("plan.scn", "h.memory", "memory") == ("parts.scn", "80 GB")
        assert await editor.definition("parts.scn", "gpu   = h", "h") == ("parts.scn", "h")

    drive(folder, session)


def test_a_rename_changes_every_file_that_uses_the_name(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        (folder / "other.scn").write_text(PLAN.replace("wider", "other") + "}\n", "utf-8")
        editor.texts["other.scn"] = PLAN.replace("wider", "other") + "}\n"
        changed = await editor.rename("plan.scn", "cluster = hopper", "grace-hopper", "hopper")
        assert changed == {
            n: editor.texts[n].replace("hopper", "grace-hopper") for n in ("parts.scn", "plan.scn", "other.scn")
        }
        room = await editor.rename("parts.scn", "let room", "space", "room")
        assert room == {
            "parts.scn": PARTS.replace("let room", "let space"),
            "plan.scn": PLAN.replace("* room", "* space"),
            "other.scn": editor.texts["other.scn"].replace("* room", "* space"),
        }
        assert set(await editor.rename("plan.scn", "as zoo", "models", "zoo")) == {"plan.scn"}
        spare = await editor.rename("plan.scn", ">= spare", "free", "spare")
        assert spare == {"plan.scn": PLAN.replace("spare", "free")}

    drive(folder, session)


@pytest.mark.parametrize(
    ("words", "inside", "new", "why"),
    [
        ("memory_headroom", "", "x", "is a word of the language"),
        ("zoo.llama", "llama", "x", "is defined in the installed library"),
        ("2 * room", "room", "a b", "is not a name"),
        ("2 * room", "room", "let", "is not a name"),
        ("run base", "base", "wider", "run `wider` is defined twice"),
        ("let spare", "spare", "room", "`room` is defined by itself"),
        ("let spare", "spare", "tokens", "is a setting of every run"),
        ("let spare", "spare", "mfu", "is a result of every run"),
        ("because", "", "x", "there is no name here"),
    ],
)
def test_a_rename_that_would_break_something_is_refused(
    folder: Path, words: str, inside: str, new: str, why: str
) -> None:
    async def session(editor: Editor) -> None:
        with pytest.raises(Exception, match=why):
            await editor.rename("plan.scn", words, new, inside)

    drive(folder, session)


def test_a_rename_that_would_take_over_other_words_is_refused(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.texts["plan.scn"] = CLOSED.replace("let spare = 2 * room", "let spare = 9 GB, memory.reserve = room")
        await editor.type("plan.scn", editor.texts["plan.scn"])
        with pytest.raises(Exception, match="`room` already means something in plan.scn"):
            await editor.rename("plan.scn", "let spare", "room", "spare")

    drive(folder, session)


def test_formatting(folder: Path) -> None:
    async def session(editor: Editor) -> None:
        await editor.type("parts.scn", PARTS.replace("  gpu   = h", "gpu=h"))
        params = lsp.DocumentFormattingParams(editor.document("parts.scn"), lsp.FormattingOptions(2, True))
        edits = await editor.client.text_document_formatting_async(params)
        assert edits is not None and [edit.new_text for edit in edits] == [PARTS]
        params = lsp.DocumentFormattingParams(editor.document("plan.scn"), lsp.FormattingOptions(2, True))
        assert not await editor.client.text_document_formatting_async(params)

    drive(folder, session)


def test_without_pygls_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['pygls'] = None\nsys.argv = ['scn', 'lsp']\n"
        "from reports.commands.scn import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "scn lsp needs pygls: pip install 'tonnage[lsp]', or: pip install pygls\n"
