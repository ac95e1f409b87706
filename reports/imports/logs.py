"""A training log as what was measured of a run: step time, rate, memory; and with its plan, how far it has come."""

from dsl.form import canonical
from dsl.importers.printed import digits, quantity, quoted, remarks
from dsl.importers.train_log import Log, Record, Steady, median_of, read, steady
from dsl.kinds import RUN, Setting
from dsl.problems import Problem, Span
from dsl.schema import schema
from engine.evaluate import evaluate
from engine.metrics import BY_NAME
from reports.imports.asked import Asked, Made, Plan, opening, refused
from reports.progress import DAY, progress

SLOW = 1.5  # a step this many times the median is named


def logs(asked: Asked) -> Made:
    """`measured` and `actual` blocks of one log; with a plan, a run that copies the plan's and holds both."""
    if len(asked.files) > 1:
        return refused([Problem("E26", "one log at a time", Span(asked.files[1].name, 1, 1, 2), "a second file")])
    file = asked.files[0]
    log, problems = read(file.data, file.name)
    if log is None:
        return refused(problems)
    part = steady(log.records)
    values = measured(log, part, asked.plan)
    source = f"{log.framework} log, {asked.sources}"
    notes = told(log, part, values)
    reached = actual(log, part, values, asked.plan)
    inner = [*_measured(values, source), *_actual(reached, source)]
    if asked.plan is None:
        notes.append("Put these blocks into the run that was logged, or import with --plan.")
        text, wrong = canonical("\n".join([*remarks(notes), *inner]) + "\n")
    else:
        run = asked.plan.run.name
        whole = [*remarks(notes), f"run {run}-logged from {run} {{", *inner, "}"]
        text, wrong = canonical(opening(asked.plan) + "\n".join(whole) + "\n")
    assert not wrong, wrong
    return Made(text, [], forecast(asked.plan, reached) if asked.plan is not None else ())


def measured(log: Log, part: Steady, plan: Plan | None) -> dict[str, float]:
    """Results by name, medians over the steady steps; a step's time from a rate needs the plan's batch."""
    own = part.records
    found = {
        "step_time": median_of(own, lambda r: r.seconds),
        "tokens_per_second_per_gpu": median_of(own, lambda r: r.tokens_per_gpu),
        "memory_allocated": log.allocated,
        "memory_per_gpu": log.reserved,
    }
    if found["step_time"] is None and plan is not None:
        found["step_time"] = _from_rate(own, found["tokens_per_second_per_gpu"], plan)
    return {name: value for name, value in found.items() if value}


def _from_rate(own: tuple[Record, ...], tokens: float | None, plan: Plan) -> float | None:
    """Seconds of a step: the plan's batch over tokens a second and GPU, or over samples a second."""
    settings = plan.run.plain()
    batch, length, gpus = (settings.get(p) for p in ("batch", "sequence", "cluster.gpus"))
    samples = median_of(own, lambda r: r.samples_per_second)
    if tokens and batch and length and gpus:
        return float(batch * length / (tokens * gpus))
    return float(batch / samples) if samples and batch else None


def told(log: Log, part: Steady, values: dict[str, float]) -> list[str]:
    """How the figures came about: how many steps, what was left out, and the slowest step."""
    first = part.records[0].step
    said = [
        f"From a {log.framework} log: medians of {len(part.records)} of {len(log.records)} logged steps, from step "
        f"{first}; the first {part.warm_up} are left out as warm-up."
    ]
    times = [(r.seconds, r.step) for r in part.records if r.seconds]
    usual = values.get("step_time")
    if times and usual:
        longest, step = max(times)
        slow = sum(t > SLOW * usual for t, _ in times)
        mean = sum(t for t, _ in times) / len(times)
        said.append(f"Mean {digits(mean, 5)} s, slowest {digits(longest, 5)} s (step {step}); {slow} steps take more "
                    f"than {SLOW:g} times the median.")  # fmt: skip
    flops = median_of(part.records, lambda r: r.flops_per_gpu)
    if flops:
        said.append(f"The log's own count: {digits(flops / 1e12, 4)} TFLOP/s a GPU, by its own formula; not used.")
    samples = median_of(part.records, lambda r: r.samples_per_second)
    if samples and "step_time" not in values:
        said.append(f"{digits(samples, 5)} samples a second: import with --plan for the time of a step.")
    return said


def forecast(plan: Plan, reached: dict[str, object]) -> tuple[str, ...]:
    """Finish and cost at the pace of the log, beside the plan's, in one line; nothing where it cannot be told."""
    settings = {f"actual.{name}": value for name, value in reached.items()}
    found = progress(settings, evaluate(plan.engine, advise=False), "")
    if found is None:
        return ()
    days, planned = found["time_to_train"] / DAY, found["planned_time_to_train"]
    said = f"{found['tokens'] / found['of']:.1%} of the tokens are trained; at this pace the run takes {days:.1f} days"
    said += f" (plan {planned / DAY:.1f})" if planned else ""
    said += f" and ends on {found['finish']}" if found["finish"] else ""
    if found["cost"] and found["planned_cost"]:
        said += f"; it costs ${found['cost']:,.0f} (plan ${found['planned_cost']:,.0f})"
    return (said,)


def _measured(values: dict[str, float], source: str) -> list[str]:
    """The lines of a `measured` block."""
    rows = [f"{n} = {quantity(Setting(n, _held(n), ''), value)}{_unit(n)}" for n, value in values.items()]
    return ["measured {", *rows, f'source = "{quoted(source)}"', "}"] if rows else []


def _held(name: str) -> str:
    return BY_NAME[name].dimension if BY_NAME[name].dimension in ("seconds", "bytes") else "number"


def _unit(name: str) -> str:
    return " tokens/s" if name.startswith("tokens_per_second") else ""


def actual(log: Log, part: Steady, values: dict[str, float], plan: Plan | None) -> dict[str, object]:
    """How far the run has come: tokens, days, and the step's time; nothing where tokens cannot be counted."""
    settings = plan.run.plain() if plan is not None else {}
    length, batch = log.sequence or settings.get("sequence"), settings.get("batch")
    last = log.records[-1]
    each = last.batch or batch
    samples = last.samples or (last.step * float(each) if each else None)
    if not samples or not length:
        return {}
    found: dict[str, object] = {"tokens": float(samples) * float(length)}
    if log.last:
        found["date"] = log.last
    if log.elapsed and log.records[0].step <= 1 + (last.step - log.records[0].step) / max(len(log.records) - 1, 1):
        found |= {"started": log.first, "elapsed": log.elapsed}  # the log begins with the run
    return found | ({"step_time": values["step_time"]} if "step_time" in values else {})


def _actual(values: dict[str, object], source: str) -> list[str]:
    """The lines of an `actual` block."""
    if not values:
        return []
    rows = [f"{name} = {quantity(schema(RUN).rows[f'actual.{name}'], value)}" for name, value in values.items()]
    return ["actual {", *rows, f'source = "{quoted(source)}"', "}"]
