"""The schema of what a user measured: a calibration that predictions follow, a trace beside them, a run's progress."""

from dsl.kind import DTYPES, SOURCE, Kind, row

# The classes of a step's rows that a trace can tell apart; every row of the ledger is in one (engine/classes.py).
CLASSES = ("gemm", "sdpa", "hbm", "tensor", "context", "expert", "pipeline", "data", "optimizer", "host", "idle",
           "other")  # fmt: skip
MEANINGS = {
    "gemm": "matrix multiplies",
    "sdpa": "attention kernels",
    "hbm": "memory-bound kernels",
    "tensor": "tensor-parallel traffic",
    "context": "context-parallel traffic",
    "expert": "expert all-to-all and expert-tensor traffic",
    "pipeline": "pipeline sends, receives and the bubble in them",
    "data": "data-parallel traffic",
    "optimizer": "the optimizer step",
    "host": "copies to and from host memory",
    "idle": "launch gaps, fixed time and waits",
    "other": "kernels that are none of these",
}
SCALED = tuple(name for name in CLASSES if name != "other")

MEASURED_TIER = Kind(
    "tier",
    "what collectives attained on one tier of the network; named as the cluster's tiers",
    (
        row("gather", "bytes/s", "rate of all-gather and reduce-scatter, per GPU and direction", bounds="> 0"),
        row("all_reduce", "bytes/s", "rate of all-reduce, per GPU and direction", bounds="> 0"),
        row("all_to_all", "bytes/s", "rate of all-to-all, per GPU and direction", bounds="> 0"),
        row("send", "bytes/s", "rate of one send and receive", bounds="> 0"),
        row("latency", "seconds", "of one hop at this tier", bounds=">= 0"),
    ),
    named="required",
    repeats=True,
)
SHAPE = Kind(
    "shape",
    "a matrix multiply that was timed; shapes near it take its measured efficiency",
    (
        row("m", "number", "rows (tokens)", "!", bounds=">= 1"),
        row("n", "number", "columns of the result", "!", bounds=">= 1"),
        row("k", "number", "inner dimension", "!", bounds=">= 1"),
        row("precision", "choice", "arithmetic", "bf16", *DTYPES),
        row("seconds", "seconds", "of one multiply", "!", bounds="> 0"),
    ),
    named="required",
    repeats=True,
)
CALIBRATION = Kind(
    "calibration",
    "what was measured on one's own machines; a run that names it is predicted with it",
    (
        row("call", "seconds", "fixed time of a collective call, hops apart", bounds=">= 0"),
        row("gemm", "share", "best matrix-multiply share of the dense peak, sustained clock included", bounds="> 0"),
        row("gemm_fp8", "share", "the same in fp8", bounds="> 0"),
        row("gemm_fp4", "share", "the same in fp4", bounds="> 0"),
        row("half_k", "number", "inner dimension at which a GEMM reaches half of it", bounds=">= 0"),
        row("memory", "share", "attained share of the memory bandwidth", bounds="> 0"),
        row("attention.forward", "share", "attention kernel, forward, share of the dense peak", bounds="> 0"),
        row("attention.backward", "share", "the same, backward", bounds="> 0"),
        *(
            row(f"factor.{name}", "ratio", f"measured over predicted time of {MEANINGS[name]}", bounds="> 0")
            for name in SCALED
        ),
        row("factor.step", "ratio", "measured over predicted step, beside the other factors", bounds="> 0"),
        *SOURCE,
    ),
    blocks=(MEASURED_TIER, SHAPE),
    named="required",
)
TRACE = Kind(
    "trace",
    "a profiled step of a run, by class of work; the report holds the prediction against it",
    (
        row("step_time", "seconds", "of one step, mean over the steps and ranks", "!", bounds="> 0"),
        row("longest_step", "seconds", "of the slowest step of any rank", bounds="> 0"),
        row("steps", "steps", "steps that were recorded"),
        row("ranks", "gpus", "ranks that were recorded"),
        *SOURCE,
    ),
    blocks=(
        Kind(
            "row",
            "one class of work in a step: mean over ranks, beside the slowest rank and the longest call",
            (
                row("busy", "seconds", "a step, mean over ranks", "!", bounds=">= 0"),
                row("exposed", "seconds", "of it, while nothing else ran", bounds=">= 0"),
                row("slowest", "seconds", "busy time of the slowest rank", bounds=">= 0"),
                row("longest", "seconds", "of the longest single call", bounds=">= 0"),
                row("calls", "number", "calls a step and rank"),
            ),
            named="choice",
            name_choices=CLASSES,
            repeats=True,
        ),
    ),
    named="required",
)
ACTUAL = Kind(
    "actual",
    "how far a run that is under way has come; finish and cost are forecast again from it",
    (
        row("tokens", "tokens", "trained so far", "!", bounds=">= 0"),
        row("date", "date", "the day that this was so"),
        row("started", "date", "first day of the run; the report's start when absent"),
        row("elapsed", "seconds", "time since the start, instead of both dates", bounds="> 0"),
        row("step_time", "seconds", "median of the steady steps; the prediction when absent", bounds="> 0"),
        row("effective", "share", "useful share of the elapsed time; from tokens and dates when absent", bounds="> 0"),
        row("source", "text", "the log that it comes from"),
    ),
    named="none",
)
