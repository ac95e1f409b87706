"""The schema of tables over design points: sweeps, comparisons, searches; and of rooflines."""

from dsl.kind import DTYPES, Kind, row

TABLE = (
    row("base", "run", "the run whose settings are varied", "!"),
    row("show", "list of expression", "columns shown"),
)
CHART = Kind(
    "chart",
    "a figure of the table",
    (
        row("x", "expression", "horizontal axis"),
        row("y", "expression", "vertical axis"),
        row("color", "expression", "value of a cell"),
        row("series", "expression", "one line each"),
        row("facet", "expression", "one panel each"),
    ),
    named="choice",
    name_choices=("heatmap", "line", "bar", "scatter"),
    repeats=True,
)
VARY = Kind(
    "vary",
    "settings that change: a product; `vary together` changes them in step",
    named="choice",
    name_choices=("together",),
    repeats=True,
    open_settings=True,
)
RULES = ("require", "where", "let")

SWEEP = Kind(
    "sweep",
    "a table of design points",
    TABLE,
    (
        VARY,
        CHART,
        Kind(
            "measured",
            "measured values of points",
            (row("source", "text", "where they were published", "!"),),
            named="none",
            open_settings=True,
            repeats=True,
        ),
    ),
    named="required",
    statements=RULES,
)
COMPARE = Kind(
    "compare",
    "runs side by side with a baseline",
    (
        row("between", "list of run", "the runs compared", "!"),
        row("baseline", "run", "the run the others are held against"),
        row("show", "list of expression", "rows shown"),
    ),
    (CHART,),
    named="required",
    statements=RULES,
)
OPTIMIZE = Kind(
    "optimize",
    "the best points of a space",
    (
        *TABLE,
        row("minimize", "expression", "what should be small"),
        row("maximize", "expression", "what should be large"),
        row("then_by", "list of expression", "ties"),
        row("keep", "number", "points shown", "10"),
    ),
    (VARY, CHART),
    named="required",
    statements=RULES,
)
SCALE = Kind(
    "scale",
    "one run over GPU counts or bandwidths",
    (
        *TABLE,
        row("over", "expression", "the setting that grows (default: cluster.gpus)"),
        row("points", "list of expression", "its values (default: GPUs doubling, a bandwidth in steps)"),
        row("mode", "choice", "whether the batch grows with the GPUs", "strong", "strong", "weak"),
    ),
    (VARY, CHART),
    named="required",
    statements=RULES,
)
SENSITIVITY = Kind(
    "sensitivity",
    "how results move with uncertain inputs",
    (
        *TABLE,
        row("samples", "number", "Monte-Carlo samples", "10000"),
        row("seed", "number", "of the random numbers", "0"),
    ),
    (VARY, CHART),
    named="required",
    statements=RULES,
)
SIZE = Kind(
    "size",
    "how many of which GPUs, in which layout, for a deadline and a budget",
    (
        row("base", "run", "the run: its model, tokens, batch and precision", "!"),
        row("clusters", "list of expression", "clusters that are tried (default: that of the run)"),
        row("gpus", "list of expression", "numbers of GPUs that are tried (default: 8 to 16,384, doubling)"),
        row("deadline", "seconds", "the longest time to train", bounds="> 0"),
        row("budget", "usd", "the most it may cost", bounds="> 0"),
        row("show", "list of expression", "columns shown"),
    ),
    (VARY,),
    named="required",
    statements=RULES,
)
ENTRY = Kind(
    "entry",
    "a run of the programme, with what comes with it",
    (
        row("run", "run", "the run that is trained, on the programme's cluster", "!"),
        row("gpus", "gpus", "GPUs of the cluster that it takes (default: all of them)", bounds=">= 1"),
        row("start", "seconds", "its earliest start, from the start of the programme", "0 days"),
        row("after", "list of expression", "entries that must have ended before it starts"),
        row("deadline", "seconds", "when it must have ended, from the start of the programme", bounds="> 0"),
        row("count", "number", "runs of this kind, one after the other", "1", bounds=">= 1"),
        row("trials", "share", "trial runs before it, as a share of its training", "0%"),
        row("evaluation", "share", "evaluation during and after it, as a share of its training", "0%"),
        row("restarts", "share", "training that is thrown away and done again, as a share of it", "0%"),
    ),
    named="required",
    repeats=True,
)
PORTFOLIO = Kind(
    "portfolio",
    "several runs on a calendar that share a cluster; require may ask for programme.cost, programme.utilization …",
    (
        row("cluster", "cluster", "the cluster that all entries share", "!"),
        row("start", "date", "first day of the programme"),
        row("hold", "seconds", "how long the cluster is paid for (default: until the last entry ends)", bounds="> 0"),
    ),
    (ENTRY,),
    named="required",
    statements=("require", "let"),
)
ROOFLINE = Kind(
    "roofline",
    "arithmetic intensity of one operation on one part",
    (
        row("gpu", "gpu", "the accelerator", "!"),
        row("precision", "choice", "arithmetic", "bf16", *DTYPES),
        row("m", "number", "rows (tokens) of the matrix multiply"),
        row("n", "number", "columns of the result"),
        row("k", "number", "inner dimension"),
        row("flops", "number", "FLOP of the operation, instead of m, n, k"),
        row("bytes", "bytes", "bytes moved, instead of m, n, k"),
        row("split", "number", "devices the inner dimension is split over", "1"),
    ),
    named="required",
)
