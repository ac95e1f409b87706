"""Hugging Face configurations: what is read from them, what is refused, and how a model names one."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load, load_text
from dsl.form import canonical
from dsl.importers.hf import Imported, read_config
from dsl.importers.hf_block import block, model_name
from dsl.importers.hf_families import FAMILIES
from dsl.importers.hf_mixers import shortest
from dsl.limits import CONFIGURATION
from dsl.problems import Problem
from dsl.resolve import resolve
from dsl.scenario import Run, Scenario
from engine.models import count
from engine.read import read
from tests.language import RESULTS
from tests.test_render import call

DATA = Path(__file__).parent / "data"
CONFIGS = DATA / "hf_configs"
NAMES = sorted(path.stem for path in CONFIGS.glob("*.json"))
PUBLISHED: dict[str, dict[str, int]] = json.loads((DATA / "oracle.json").read_text("utf-8"))
HEAD = """edition 2026
import "library/gpus.scn"
cluster one { gpu = h100-sxm, gpus = 1 gpus }
"""
RUN = "run {0} {{ model = {0}, cluster = one, batch = 2 sequences, sequence = 4096 tokens }}\n"
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "vocab_size": 1000,
}


def config(**changed: Any) -> bytes:
    """A small configuration with some keys changed; None takes a key away."""
    return json.dumps({k: v for k, v in (LLAMA | changed).items() if v != "absent"}, indent=1).encode()


def imported(**changed: Any) -> Imported:
    """A small configuration that is right."""
    found, problems = read_config(config(**changed), "config.json")
    assert found is not None, problems
    return found


def values(**changed: Any) -> dict[str, Any]:
    """Its settings as plain values."""
    return {path: taken.value for path, taken in imported(**changed).settings.items()}


def problems(**changed: Any) -> list[Problem]:
    return read_config(config(**changed), "config.json")[1]


def runs(text: str, folder: Path) -> dict[str, dict[str, Any]]:
    """The settings of every run of a scenario beside the configurations; it has no problem."""
    (folder / "all.scn").write_text(text, "utf-8")
    scenario, found = resolve(load(folder / "all.scn"), RESULTS)
    assert [(p.title, p.span) for p in found] == []
    return {e.name: e.plain() for e in scenario.experiments if isinstance(e, Run)}


@cache
def printed() -> str:
    """All configurations as `scn import hf` prints them, each with a run."""
    text = HEAD
    for name in NAMES:
        data = (CONFIGS / f"{name}.json").read_bytes()
        found, wrong = read_config(data, f"{name}.json")
        assert found is not None, wrong
        text += block(found, name, f"{name}.json", sha256(data).hexdigest()) + RUN.format(name)
    return text


@pytest.fixture(scope="module")
def by_block(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return runs(printed(), tmp_path_factory.mktemp("blocks"))


@pytest.fixture(scope="module")
def by_name() -> dict[str, dict[str, Any]]:
    """The same from models that name their configuration."""
    text = HEAD + "".join(f'model {name} {{ hf = "{name}.json" }}\n' + RUN.format(name) for name in NAMES)
    scenario, found = resolve(load_text(text, "all.scn", CONFIGS), RESULTS)
    assert [(p.title, p.span) for p in found] == []
    return {e.name: e.plain() for e in scenario.experiments if isinstance(e, Run)}


def test_every_configuration_is_there() -> None:
    assert len(NAMES) == 118
    assert set(NAMES) <= set(PUBLISHED)


@pytest.mark.parametrize("name", NAMES)
def test_a_configuration_counts_to_the_last_parameter(
    name: str, by_block: dict[str, dict[str, Any]], by_name: dict[str, dict[str, Any]]
) -> None:
    """Total and active parameters of the printed block, and of a model that names the file, are the published ones."""
    expected = (PUBLISHED[name]["total"], PUBLISHED[name]["active"])
    for found in (by_block, by_name):
        n = count(read(found[name]).model)
        assert (n.total[0], n.active[0]) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_block_says_what_the_file_says(
    name: str, by_block: dict[str, dict[str, Any]], by_name: dict[str, dict[str, Any]]
) -> None:
    """What the block leaves out is as the language has it anyway."""
    told = {"source", "confidence", "verified", "hf"}
    one, other = (
        {path: value for path, value in found[name].items() if path.startswith("model.") and path[6:] not in told}
        for found in (by_block, by_name)
    )
    assert one == other


@pytest.mark.parametrize("name", [n for n in NAMES if PUBLISHED[n]["mtp"] and not n.startswith("qwen3-next")])
def test_prediction_modules_are_read(name: str, by_block: dict[str, dict[str, Any]]) -> None:
    model = read(by_block[name]).model
    assert model.experts is not None
    assert count(model).mtp[0] + model.experts.routed[0] == PUBLISHED[name]["mtp"]  # with the score biases


# What a key's absence means, and what the class fixes.


@pytest.mark.parametrize(
    ("model_type", "path", "value"),
    [
        ("llama", "tied", False), ("gemma", "tied", True), ("gpt2", "tied", True), ("falcon", "tied", True),
        ("opt", "tied", True), ("cohere", "tied", True), ("starcoder2", "tied", True), ("smollm3", "tied", True),
        ("mistral", "kv_heads", 8), ("starcoder2", "kv_heads", 2), ("qwen2", "kv_heads", 32), ("gemma2", "kv_heads", 4),
        ("falcon", "kv_heads", 1), ("qwen3", "head", 128), ("gemma", "head", 256), ("qwen2", "bias.qkv", True),
        ("qwen2", "bias.out", False), ("gptj", "bias.qkv", False), ("gptj", "bias.head", True),
        ("phi", "bias.out", True), ("phi", "norms_per_layer", 1), ("gemma2", "norms_per_layer", 4),
        ("cohere", "norms_per_layer", 1), ("falcon", "norms_per_layer", 1), ("mpt", "norm", "layernorm_no_bias"),
        ("bloom", "embedding_norm", True),
        ("olmo2", "qk_norm", "full"), ("cohere", "qk_norm", "none"), ("qwen3", "qk_norm", "per_head"),
        ("gpt2", "ffn", 256), ("opt", "positions", 2050), ("nemotron", "gated", False), ("gemma3_text", "head", 256),
    ],
)  # fmt: skip
def test_what_an_absent_key_stands_for(model_type: str, path: str, value: Any) -> None:
    extra: dict[str, Any] = {"max_position_embeddings": 2048, "ffn_dim": 256}
    if model_type in ("gpt2", "falcon", "bloom"):
        extra["intermediate_size"] = "absent"
    assert values(model_type=model_type, **extra)[path] == value


def test_what_an_absent_number_of_heads_stands_for() -> None:
    """A null is one key/value head for each query head; Gemma 3's text part leaves even its heads to the class."""
    assert "kv_heads" not in values(num_key_value_heads=None)
    assert "kv_heads" not in values(model_type="mistral", num_key_value_heads=None)
    text = {k: v for k, v in LLAMA.items() if k not in ("num_attention_heads", "vocab_size", "model_type")}
    found = values(model_type="gemma3", text_config=text | {"model_type": "gemma3_text"}, num_hidden_layers=99)
    assert (found["heads"], found["kv_heads"], found["head"]) == (8, 4, 256)
    assert (found["vocabulary"], found["layers"]) == (262_208, 2)


def test_attention_bias_takes_the_output_too_but_not_in_glm() -> None:
    moe = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 16}
    llama, glm = values(attention_bias=True), values(model_type="glm4_moe", attention_bias=True, **moe)
    assert (llama["bias.qkv"], llama["bias.out"]) == (True, True)
    assert (glm["bias.qkv"], glm["bias.out"]) == (True, False)


def test_a_window_as_long_as_the_model_is_no_window() -> None:
    mistral = {"model_type": "mistral", "max_position_embeddings": 8192}
    assert values(**mistral, sliding_window=4096)["attention.window"] == 4096
    assert "attention" not in values(**mistral, sliding_window=8192)
    assert "attention" not in values(**mistral, sliding_window=None)
    assert "attention" not in values(model_type="qwen2", sliding_window=4096, use_sliding_window=False)


def test_a_list_of_layer_types_gives_the_period() -> None:
    gpt_oss = {"model_type": "gpt_oss", "num_hidden_layers": 6, "num_local_experts": 4, "num_experts_per_tok": 2}
    types = ["sliding_attention", "sliding_attention", "full_attention"] * 2
    assert values(**gpt_oss, layer_types=types)["attention.every"] == 3
    found = imported(**gpt_oss, layer_types=["full_attention", *types[1:]])
    assert "attention" not in found.settings
    assert any("no period" in note for note in found.notes)


def test_expert_layers_by_every_rule() -> None:
    moe = {"num_hidden_layers": 6, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
    qwen = {"model_type": "qwen2_moe", "shared_expert_intermediate_size": 64} | moe
    assert values(**qwen, decoder_sparse_step=2)["experts.every"] == 2
    assert values(**qwen, mlp_only_layers=[0, 1])["experts.dense_layers"] == 2
    assert problems(**qwen, mlp_only_layers=[0, 2])[0].code == "E30"
    dense = {k: v for k, v in moe.items() if k == "num_hidden_layers"}
    assert "experts.routed" not in values(model_type="deepseek", **dense)


def test_a_configuration_without_a_type_goes_by_its_architecture() -> None:
    assert imported(model_type="absent", architectures=["MixtralForCausalLM"], num_local_experts=8,
                    num_experts_per_tok=2).model_type == "mixtral"  # fmt: skip
    assert problems(model_type="absent")[0].title == "config.json has no `model_type`"


def test_patterns_are_cut_to_their_period() -> None:
    assert shortest("MEM*MEM*") == "MEM*"
    assert shortest("M-M*-") == "M-M*-"


@pytest.mark.parametrize(
    ("changed", "code", "title"),
    [
        ({"model_type": "bert"}, "E30", "`bert` is a model type that this version does not know"),
        ({"model_type": 7}, "E16", "`model_type` of config.json is not a text"),
        ({"hidden_size": "absent"}, "E13", "config.json has no `hidden_size` (or n_embd, n_embed)"),
        ({"hidden_size": "64"}, "E16", "`hidden_size` of config.json is not a whole number"),
        ({"hidden_size": -1}, "E16", "`hidden_size` of config.json is not a whole number"),
        ({"num_attention_heads": True}, "E16", "`num_attention_heads` of config.json is not a whole number"),
        ({"num_hidden_layers": 10**12}, "E20", "`num_hidden_layers` of config.json is above 10,000"),
        ({"tie_word_embeddings": "yes"}, "E16", "`tie_word_embeddings` of config.json is not true or false"),
        ({"intermediate_size": None}, "E13", "config.json has no `intermediate_size`"),
        ({"model_type": "glm4_moe", "n_routed_experts": 4}, "E13", "config.json has no `head_dim`"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], code: str, title: str) -> None:
    found = problems(**changed)
    assert (code, title) in [(p.code, p.title) for p in found]
    assert all(p.span.file == "config.json" for p in found)


def test_a_problem_stands_on_its_own_line() -> None:
    (problem,) = problems(vocab_size="many")
    assert json.loads("{" + config(vocab_size="many").decode().splitlines()[problem.span.line - 1] + "}") == {
        "vocab_size": "many"
    }


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{ not json", "E02"),
        (b'"text"', "E16"),
        (b"[1]", "E16"),
        (b"\xff\xfe", "E03"),
        (b"", "E02"),
        (b"[" * 100_000, "E02"),
        (b'{"hidden_size": ' + b"9" * 5000 + b"}", "E02"),
        (b" " * (CONFIGURATION + 1), "E02"),
    ],
)
def test_files_that_are_no_configuration(data: bytes, code: str) -> None:
    found, wrong = read_config(data, "config.json")
    assert found is None
    assert [p.code for p in wrong] == [code]


KEYS = sorted({key for path in CONFIGS.glob("*.json") for key in json.loads(path.read_text("utf-8"))})
ANY = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 300), st.integers(), st.floats(), st.text(max_size=5),
    st.lists(st.sampled_from(["full_attention", "mamba", "sparse", 1, 0, None]), max_size=4), st.just({}),
)  # fmt: skip


@given(st.sampled_from(sorted(FAMILIES)), st.dictionaries(st.sampled_from(KEYS), ANY, max_size=8))
def test_whatever_a_file_says_it_is_read_or_refused(model_type: str, changed: dict[str, Any]) -> None:
    found, wrong = read_config(config(**(changed | {"model_type": model_type})), "config.json")
    assert (found is None) == bool(wrong)
    if found is not None:
        text = block(found, "m", "config.json", "0" * 64)
        assert canonical(text) == (text, [])


# In a scenario.

SMALL = HEAD + 'model m { hf = "config.json" STATED }\n' + RUN.format("m")


def scenario(folder: Path, stated: str = "", **changed: Any) -> tuple[Scenario, list[Problem]]:
    """A scenario whose model names a small configuration and states some settings itself."""
    (folder / "config.json").write_bytes(config(**changed))
    (folder / "a.scn").write_text(SMALL.replace("STATED", stated), "utf-8")
    return resolve(load(folder / "a.scn"), RESULTS)


def test_settings_of_the_file_are_stated_there(tmp_path: Path) -> None:
    found, wrong = scenario(tmp_path)
    assert wrong == []
    hidden = found.runs[0].settings["model.hidden"]
    assert (hidden.value, hidden.origin, hidden.where) == (64, "stated", "config.json:4")
    assert config().decode().splitlines()[3] == ' "hidden_size": 64,'
    data = config()
    assert [(i.path, i.sha256, i.size) for i in found.imports if i.path.endswith(".json")] == [
        ("config.json", sha256(data).hexdigest(), len(data))
    ]


def test_what_the_block_states_wins(tmp_path: Path) -> None:
    found, wrong = scenario(tmp_path, ", layers = 5, attention sliding { window = 16 tokens }")
    assert wrong == []
    settings = found.runs[0].settings
    assert (settings["model.layers"].value, settings["model.layers"].where) == (5, "a.scn:4")
    assert settings["model.attention"].value == "sliding"
    assert settings["model.hidden"].value == 64


def test_another_configuration_from_the_command_line(tmp_path: Path) -> None:
    scenario(tmp_path)
    (tmp_path / "wider.json").write_bytes(config(hidden_size=128))
    loaded = load(tmp_path / "a.scn")
    found, wrong = resolve(loaded, RESULTS, ['m.hf="wider.json"'])
    assert wrong == []
    assert found.runs[0].settings["model.hidden"].value == 128
    assert [i.path for i in found.imports if i.path.endswith(".json")] == ["wider.json"]
    _, wrong = resolve(loaded, RESULTS, ['model.hf="wider.json"'])
    assert [(p.code, p.title) for p in wrong] == [("E15", "`model.hf` has no effect here")]
    _, wrong = resolve(loaded, RESULTS, varied=['model.hf=["wider.json", "config.json"]'])
    assert [(p.code, p.title) for p in wrong] == [("E27", "`model.hf` cannot vary")]


def test_the_file_wins_over_what_the_block_copies(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(config())
    text = HEAD + "model base { layers = 9, hidden = 7, tied = true, sequence = 512 tokens }\n"
    text += 'model m from base { hf = "config.json" }\nmodel copy from m { layers = 3 }\n'
    (tmp_path / "a.scn").write_text(text + RUN.format("m") + RUN.format("copy"), "utf-8")
    found, wrong = resolve(load(tmp_path / "a.scn"), RESULTS)
    assert wrong == []
    m, copy = (run.settings for run in found.runs)
    assert (m["model.layers"].value, m["model.tied"].value, m["model.sequence"].value) == (2, False, 512)
    assert (copy["model.layers"].value, copy["model.hidden"].value) == (3, 64)


@pytest.mark.parametrize("path", ["nowhere.json", "", ".", "/etc/hostname", "a\\\\b.json"])
def test_files_that_cannot_be_named(path: str, tmp_path: Path) -> None:
    (tmp_path / "a.scn").write_text(SMALL.replace("STATED", "").replace("config.json", path), "utf-8")
    _, wrong = resolve(load(tmp_path / "a.scn"), RESULTS)
    assert [p.code for p in wrong] == ["E02"]
    assert wrong[0].span.line == 4 and wrong[0].help


def test_a_mistake_in_the_file_points_to_both_places(tmp_path: Path) -> None:
    _, wrong = scenario(tmp_path, vocab_size="many")
    assert [(p.span.file, p.labels[0].span.line) for p in wrong] == [("config.json", 4)]


# As a command.


def test_the_command_prints_a_block_that_checks_and_counts(tmp_path: Path) -> None:
    done = call("scn", "import", "hf", CONFIGS / "deepseek-v3.json", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "\nmodel deepseek-v3 {\n" in done.out
    assert "  layers     = 61  # num_hidden_layers\n" in done.out
    found = runs(HEAD + done.out + RUN.format("deepseek-v3"), tmp_path)
    assert count(read(found["deepseek-v3"]).model).total[0] == 671_026_404_352


def test_the_command_names_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "My Llama 3.1"
    folder.mkdir()
    (folder / "config.json").write_bytes(config())
    assert "model My-Llama-3.1 {" in call("scn", "import", "hf", folder / "config.json", cwd=tmp_path).out
    named = call("scn", "import", "hf", folder / "config.json", "--name", "mine", cwd=tmp_path)
    assert "model mine {" in named.out


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "bert.json").write_text('{ "model_type": "bert" }')
    done = call("scn", "import", "hf", "bert.json", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[E30]: `bert` is a model type")
    assert call("scn", "import", "hf", "none.json", cwd=tmp_path).code == 2


@given(st.text(max_size=20))
def test_any_text_becomes_a_name(text: str) -> None:
    found = read_config(config(), "config.json")[0]
    assert found is not None
    block(found, model_name(text), "config.json", "0" * 64)
