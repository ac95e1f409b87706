"""`scn new`: what it writes checks, is in canonical form, and can be rendered."""

import json
from pathlib import Path

import pytest

from dsl.form import canonical
from reports.commands.new import money, planned, suffixed, understood
from reports.commands.source import read
from reports.document import build
from tests.test_render import call, names

CONFIGS = Path(__file__).parent / "data" / "hf_configs"
WISHES = [
    ("llama-3-8b", "h100-sxm", 8),
    ("llama-3.1-70b", "h200", 512),
    ("llama-3.1-405b", "h100-sxm", 16_384),
    ("deepseek-v3", "gb200", 2304),
    ("gpt2-xl", "a100-sxm", 1),
    ("gpt-oss-120b", "b200", 72),
    ("llama-3-8b", "h100-pcie", 6),
    ("llama-3-8b", "tpu-v5p", 256),
    ("llama-3-70b", "v100-sxm", 7),
]


@pytest.mark.parametrize(("model", "gpu", "gpus"), WISHES)
def test_it_checks_and_its_layout_can_be_built(model: str, gpu: str, gpus: int, tmp_path: Path) -> None:
    out = tmp_path / "plan.scn"
    text, said = planned(out, *understood(out, model, gpu, gpus, "2.10", ""))
    assert canonical(text) == (text, [])
    out.write_text(text, "utf-8")
    source = read(out)
    assert source.shown == ""
    point = build(source.scenario)["experiments"][0]["points"][0]
    assert point["status"] == ("does_not_fit" if "does not fit" in said else "ok")
    settings = point["settings"]
    assert settings["cluster.gpus"] == gpus
    assert settings["layout.tensor"] <= settings["cluster.gpus_per_node"]
    degrees = [settings[f"layout.{axis}"] for axis in ("tensor", "pipeline", "data")]
    assert degrees[0] * degrees[1] * degrees[2] == gpus
    assert (point["results"]["cost"] is not None) == (point["status"] == "ok")


@pytest.mark.parametrize("config", ["qwen3-8b.json", "mixtral-8x7b-v0.1.json", "gpt2.json"])
def test_a_configuration_is_a_model_too(config: str, tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / config).write_bytes((CONFIGS / config).read_bytes())
    done = call(
        "scn", "new", "plan.scn", "--model", f"weights/{config}", "--gpu", "h100-sxm", "--gpus", "64", cwd=tmp_path
    )
    assert (done.code, done.err) == (0, "")
    text = (tmp_path / "plan.scn").read_text("utf-8")
    assert f'hf = "weights/{config}"' in text and "compute-optimal" in text
    assert call("scn", "check", "plan.scn", cwd=tmp_path).out == "no problem found\n"
    rendered = call("render", "plan.scn", "--format", "json", "--out", "-", cwd=tmp_path)
    assert json.loads(rendered.out)["experiments"][0]["points"][0]["results"]["mfu"] > 0.05


def test_nothing_is_overwritten_unless_it_is_forced(tmp_path: Path) -> None:
    wish = ("--model", "llama-3-8b", "--gpu", "h100-sxm", "--gpus", "8", "--tokens", "1T", "--price", "$2.10/gpu-hour")
    (tmp_path / "plan.scn").write_text("mine", "utf-8")
    done = call("scn", "new", "plan.scn", *wish, cwd=tmp_path)
    assert (done.code, done.err) == (3, "error: plan.scn is there already; --force overwrites it\n")
    assert (tmp_path / "plan.scn").read_text("utf-8") == "mine"
    assert call("scn", "new", "plan.scn", *wish, "--force", cwd=tmp_path).out.startswith("plan.scn: tensor ")
    written = (tmp_path / "plan.scn").read_text("utf-8")
    assert "tokens   = 1T tokens\n" in written and "price = $2.10/gpu-hour" in written
    assert call("scn", "new", *wish, cwd=tmp_path).out == written
    assert names(tmp_path) == {"plan.scn"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--model": "lama-3-8b"}, "the library has no model called lama-3-8b; did you mean llama-3-8b?"),
        ({"--model": "none.json"}, "there is no file none.json"),
        ({"--model": "bad.json"}, "`bad.json` is not JSON"),
        ({"--gpu": "h100"}, "the library has no gpu called h100; it has h100-"),
        ({"--gpus": "0"}, "0 is not in the range"),
        ({"--price": ".10/gpu-hour"}, "in a shell, quote it"),
        ({"--price": "2 EUR"}, "is not a price such as"),
        ({"--tokens": "many"}, "--tokens many is not a number such as 15T"),
    ],
)
def test_a_wish_that_cannot_be_met_is_told(changed: dict[str, str], said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{", "utf-8")
    wish = {"--model": "llama-3-8b", "--gpu": "h100-sxm", "--gpus": "8"} | changed
    done = call("scn", "new", "plan.scn", *(word for pair in wish.items() for word in pair), cwd=tmp_path)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())
    assert names(tmp_path) == {"bad.json"}


def test_prices_and_counts_are_put_into_the_languages_words() -> None:
    assert money("2.10") == money("$2.10/gpu-hour") == money("$2.10/hour") == "$2.10/gpu-hour"
    assert (suffixed(1.411e12), suffixed(160.6e9), suffixed(1e9)) == ("1.4T", "160B", "1B")
