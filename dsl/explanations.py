"""The long story of every problem code, for `scn explain`: what it means, a wrong line, the right one.

The examples are run by a test: each wrong one gives its code, each right one gives no problem at all.
"""

from typing import NamedTuple


class Explanation(NamedTuple):
    """``before`` stands above both examples in the file, and is not shown; ``files`` lie beside it."""

    story: str
    wrong: str
    right: str
    before: str = ""
    files: tuple[tuple[str, str], ...] = ()
    sets: tuple[str, str] = ("", "")  # --set of the wrong call and of the right one
    encoding: str = "utf-8"  # of the wrong file


CLUSTER = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster hopper {
  gpu = h100-sxm, nodes = 16, price = $2.10/gpu-hour
  tier node { bandwidth = 450 GB/s }
  tier pod { bandwidth = 400 Gb/s }
}
"""
RUN = CLUSTER + "run base { model = llama-3.1-8b, cluster = hopper, tokens = 1T tokens, batch = 256 sequences }\n"

EXPLANATIONS: dict[str, Explanation] = {
    "E01": Explanation(
        "The text could not be cut into statements. A setting is `name = value` on a line of its own; a block is"
        " `kind name { … }`; a comment starts with #. The place that is marked is where reading stopped: the"
        " mistake stands there or just before it. The rest of the file was read without this statement.",
        "model small {\n  layers  80\n  hidden: 8192\n}\n",
        "model small {\n  layers = 80\n  hidden = 8192\n}\n",
    ),
    "E02": Explanation(
        "An import is looked for beside the file that imports it and then, where its path begins with library/, in"
        " the library that is installed with the program. Paths are written with / and are never absolute, so that"
        " a scenario works on every machine. A file given on the command line may also be a folder, be larger"
        " than 8 MB, or lack the right to be read.",
        'import "library/gpu.scn"\n',
        'import "library/gpus.scn"\n',
    ),
    "E03": Explanation(
        "Scenario files are UTF-8, whatever the machine's own encoding. An editor that saved the file in another"
        " one (Latin-1, Windows-1252, UTF-16) can save it again as UTF-8; a byte-order mark is accepted.",
        "# Café\nlet deadline = 100 days\n",
        "# Café\nlet deadline = 100 days\n",
        encoding="latin-1",
    ),
    "E04": Explanation(
        "Two files that import each other, directly or over others, have no order in which they could be read. Put"
        " what both need into a third file that imports neither.",
        'import "site.scn"\n',
        'import "shared.scn"\n',
        files=(("site.scn", 'import "scenario.scn"\n'), ("shared.scn", "let headroom = 8 GB\n")),
    ),
    "E05": Explanation(
        "Brackets, blocks, signs and powers may stand inside each other 200 deep, and no scenario written by hand"
        " comes near that. In text made by a program, split the expression into a few lets. Files, lines, names, texts"
        " and the number of blocks are bounded too, far above what anybody writes; the reference lists the bounds.",
        "let x = " + "(" * 201 + "1" + ")" * 201 + "\n",
        "let half = (1 + 2)\nlet x = (half + 3)\n",
    ),
    "E06": Explanation(
        "The edition is the year of the language that a file is written in. It is the first statement, once; a"
        " file without one is read as the newest edition. A newer edition than this version knows needs a newer"
        " version of the program.",
        "edition 2031\n",
        "edition 2026\n",
    ),
    "E10": Explanation(
        "A block begins with one of the kinds of the language (gpu, model, cluster, run, compare …; all are listed"
        " in dsl/REFERENCE.md and by `scn catalog`), and some stand only inside others: a tier inside a cluster, a"
        " layout inside a run. A company's own words go into a block's name or its title.",
        "clster hopper {\n  nodes = 16\n}\n",
        "cluster hopper {\n  gpu   = h100-sxm\n  nodes = 16\n}\n",
        before='import "library/gpus.scn"\n',
    ),
    "E11": Explanation(
        "Every block has a fixed list of settings, so that a misspelled one is found instead of ignored. Settings"
        " of an inner block may be written as a block (layout { tensor = 8 }) or as a path (layout.tensor = 8)."
        " The same holds for the arguments of a choice: interleaved takes virtual_stages.",
        "model small {\n  layers       = 12\n  hidden_sizes = 768\n}\n",
        "model small {\n  layers = 12\n  hidden = 768\n}\n",
    ),
    "E12": Explanation(
        "A name or a setting that is given twice would leave the reader guessing which one holds; here no line"
        " silently wins over another. To change a setting, change its line; to have a variant, copy the block with"
        " `from` under a new name.",
        "model small {\n  layers = 12\n  layers = 24\n}\n",
        "model small {\n  layers = 12\n}\n\nmodel larger from small {\n  layers = 24\n}\n",
    ),
    "E13": Explanation(
        "Some settings have no sensible default: a cluster's gpu, a run's model and cluster, the bandwidth of a"
        " tier, the source of measured values. They are marked `required` in the reference.",
        "cluster lab {\n  nodes = 2\n}\n",
        "cluster lab {\n  gpu   = h100-sxm\n  nodes = 2\n}\n",
        before='import "library/gpus.scn"\n',
    ),
    "E14": Explanation(
        'A block is written kind name "Title" from base { … }. Kinds that others refer to need a name; groups of'
        " settings such as layout and checkpoint have none; only blocks that stand in a file can copy another one.",
        "model {\n  layers = 12\n}\n",
        "model small {\n  layers = 12\n}\n",
    ),
    "E15": Explanation(
        "A name means a let, a block of this file, a block of a file that it imports, a setting, or a result. Names"
        " of an imported file are not passed on: import the file itself. With `import … as zoo` they are"
        " written zoo.name. A glued dash belongs to the name: a - b subtracts, a-b is one word.",
        "cluster lab {\n  gpu   = h100-sxn\n  nodes = 2\n}\n",
        "cluster lab {\n  gpu   = h100-sxm\n  nodes = 2\n}\n",
        before='import "library/gpus.scn"\n',
    ),
    "E16": Explanation(
        "Each setting holds one form of value: a quantity, a text in double quotes, a choice, a name, a list. The"
        " setting decides, so a word is a choice in one place and a name in another. Ranges stand only where a"
        " setting varies.",
        'model small {\n  layers = "12"\n}\n',
        "model small {\n  layers = 12\n}\n",
    ),
    "E17": Explanation(
        "Units are spelled in one way, because case matters: GB is 10^9 bytes, GiB 2^30 bytes, Gb 10^9 bits. Rates"
        " are written with a slash (400 Gb/s), TFLOPS is a rate and TFLOP a count, months and years are not units."
        " Glued, GB/s is one unit; to divide put spaces around the slash.",
        "gpu mine from h100-sxm {\n  link = 400 Gbps\n}\n",
        "gpu mine from h100-sxm {\n  link = 400 Gb/s\n}\n",
        before='import "library/gpus.scn"\n',
    ),
    "E18": Explanation(
        "Quantities keep their dimension: bytes cannot be added to seconds or given where a rate belongs. The"
        " message names both dimensions. Dividing and multiplying make new ones: 80 GB / 2 s is 40 GB/s.",
        "gpu mine from h100-sxm {\n  memory = 80 GB/s\n}\n",
        "gpu mine from h100-sxm {\n  memory = 80 GB\n}\n",
        before='import "library/gpus.scn"\n',
    ),
    "E19": Explanation(
        "A number without a unit is refused wherever two units are possible: 2048 may be sequences or tokens, 80 may"
        " be GB or GiB. Plain counts such as layers and degrees of parallelism need none.",
        "gpu mine from h100-sxm {\n  memory = 80\n}\n",
        "gpu mine from h100-sxm {\n  memory = 80 GB\n}\n",
        before='import "library/gpus.scn"\n',
    ),
    "E20": Explanation(
        "The value is outside what its setting can be: a negative bandwidth, half a layer, an oversubscription below"
        " one. Ratios are downlink to uplink, so one seventh of the bandwidth leaving is 7:1. The bounds are in"
        " the reference.",
        "model small {\n  layers = 0\n}\n",
        "model small {\n  layers = 12\n}\n",
    ),
    "E21": Explanation(
        "The setting takes one of a few words, without quotes. The message lists them, and the reference says what"
        " each means. Some take arguments: interleaved(virtual_stages = 4), zero3(within = pod).",
        "model small {\n  norm = rms\n}\n",
        "model small {\n  norm = rmsnorm\n}\n",
    ),
    "E22": Explanation(
        "A global batch is a whole number of sequences. Tokens are converted by the run's sequence length and must"
        " come out even: 16.8M tokens is a rounded figure and not a batch, 2048 sequences of 8,192 are 16Mi tokens.",
        "run big from base {\n  batch = 16.8M tokens\n}\n",
        "run big from base {\n  batch = 16Mi tokens\n}\n",
        before=RUN,
    ),
    "E23": Explanation(
        "A let, a setting or a copied block leads back to itself, so that it has no value to start from. One of"
        " the names in the circle must be given a value of its own.",
        "let gpus = nodes * 8\nlet nodes = gpus / 8\n",
        "let nodes = 128\nlet total = nodes * 8\n",
    ),
    "E24": Explanation(
        "The arithmetic gives no number: a division by zero, the root of a negative number, or a result beyond what"
        " a computer holds. It is found when the file is checked where all values are known by then.",
        "model small {\n  hidden = 768 / (12 - 12)\n}\n",
        "model small {\n  hidden = 768 * 12\n}\n",
    ),
    "E25": Explanation(
        "A let of the file is worked out before any run is known: it cannot use a run's settings, and it must not be"
        " called like one, or the same word would mean two things. Inside a run a let sees the run's settings"
        " and results.",
        "let batch = 2048 sequences\n",
        "let usual_batch = 2048 sequences\n",
    ),
    "E26": Explanation(
        "Two settings say different things about one fact: nodes and gpus that do not match, a rent and a purchase"
        " price, lists of different lengths that vary together. State one of the two, or say which one holds.",
        "cluster lab {\n  gpu   = h100-sxm\n  nodes = 2\n  gpus  = 24 gpus\n}\n\n"
        "run small from base {\n  cluster = lab\n}\n",
        "cluster lab {\n  gpu   = h100-sxm\n  nodes = 3\n  tier node { bandwidth = 450 GB/s }\n"
        "  tier pod { bandwidth = 400 Gb/s }\n}\n\nrun small from base {\n  cluster = lab\n}\n",
        before=RUN,
    ),
    "E27": Explanation(
        "A sweep varies settings of its base run, of the run's model, cluster or gpu. A list without values, or a"
        " setting that cannot change from point to point (the order of tiers, a name, a list), varies nothing.",
        "sweep size {\n  base = base\n  vary { batch = [] sequences }\n}\n",
        "sweep size {\n  base = base\n  vary { batch = [256, 512] sequences }\n}\n",
        before=RUN,
    ),
    "E28": Explanation(
        "Settings and requires stand inside a block; edition and import at the top of a file, outside of blocks. A"
        " value that several blocks share is a let.",
        "headroom = 8 GB\n",
        "let headroom = 8 GB\n",
    ),
    "E29": Explanation(
        "On the command line a setting is given as it would stand in the file: path, =, value with its unit. The"
        " path names a setting of every run (cluster.nodes), or one block and its setting (hopper.nodes). Quote"
        " what the shell would take for itself: --set 'tokens=15T tokens'.",
        "",
        "",
        before=RUN,
        sets=("cluster.nodes 32", "cluster.nodes=32"),
    ),
    "E30": Explanation(
        "The scenario uses a part of the language that this version checks and cannot work with yet. The help says"
        " how to do without it.",
        'model mine {\n  hf = "config.json"\n}\n\nrun one from base {\n  model = mine\n}\n',
        "model mine from llama-3.1-8b {\n  layers = 24\n}\n\nrun one from base {\n  model = mine\n}\n",
        before=RUN,
        files=(("config.json", '{ "model_type": "bert" }'),),
    ),
    "W01": Explanation(
        "The value is allowed and looks like a slip: 8k is 8,000 and sequences are usually powers of two (8Ki); a"
        " doubling range that does not land on its end stops below it. Where it is meant, leave it.",
        "model small {\n  sequence = 8k tokens\n}\n",
        "model small {\n  sequence = 8Ki tokens\n}\n",
    ),
}
