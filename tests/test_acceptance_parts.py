"""Parts of the acceptance sheet by hand: which ranks are tested, which multiplies are timed, and how fast files are."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from engine import acceptance, entries, kernels, layout, models
from engine.acceptance import multiplies, rate, shapes, spans, write_rate
from engine.columns import ONE, column
from engine.operators.work import Block, Gemm, Sdpa
from tests.settings import TIERS, run

GBIT = 50e9


def tiers(*spans: int) -> tuple[tuple[str, int, float, float, float], ...]:
    return tuple((f"t{i}", span, GBIT, 1e-6, 1.0) for i, span in enumerate(spans))


@pytest.mark.parametrize(
    ("chain", "changed", "expected"),
    [
        (TIERS, {}, [("node", 8), ("pod", 3072), ("spine", 4096)]),
        (TIERS, {"layout__data": 256}, [("node", 8), ("pod", 2048)]),  # the job ends inside a pod
        (TIERS, {"layout__data": 1, "cluster__gpus": 8, "batch": 4}, [("node", 8)]),
        (TIERS, {"layout__data": 1, "layout__tensor": 2, "cluster__gpus": 2, "batch": 4}, [("node", 2)]),
        (TIERS, {"layout__data": 1, "layout__tensor": 1, "cluster__gpus": 1, "batch": 4}, []),
        (tiers(8, 64, 512, 8192), {}, [("t0", 8), ("t2", 512), ("t3", 4096)]),  # of those between the outermost
        (tiers(8, 64, 512, 1024, 8192), {}, [("t0", 8), ("t3", 1024), ("t4", 4096)]),
    ],
)
def test_a_domain_a_pod_and_the_job_are_tested(
    chain: tuple[Any, ...], changed: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    r = run(chain, **changed)
    assert [(s.tier, float(s.ranks[0])) for s in spans(r, layout.resolve(r))] == expected


@pytest.mark.parametrize(("dtype", "element", "peak"), [("bf16", 2, 989e12), ("fp8", 1, 1979e12)])
def test_the_rate_of_a_multiply_is_its_work_over_its_time(dtype: str, element: int, peak: float) -> None:
    """2 M N K over the time of kernels.gemm_seconds, with the bytes of N x K weights beside."""
    m, n, k = column(4096.0), column(1024.0), column(8192.0)
    made = run()
    dev = kernels.device(replace(made, precision=dtype))
    seconds, _ = kernels.gemm_seconds(Gemm("x", m, n, k, element * n * k), dev, None)
    found = rate(made, dtype, m, n, k)
    assert found[0] == pytest.approx(2 * 4096 * 1024 * 8192 / seconds[0], rel=1e-14)
    assert 0.2 * peak < found[0] < peak


def gemm(op: str, m: float, n: float, k: float) -> Gemm:
    return Gemm(op, column(m), column(n), column(k), ONE)


def timing(layer: tuple[Any, ...], head: tuple[Any, ...]) -> Any:
    def blocks(works: tuple[Any, ...]) -> Any:
        return SimpleNamespace(block=Block("b", works, (), ()))

    return SimpleNamespace(layers={"dense": [blocks(layer)]}, head=blocks(head))


def test_the_runs_own_multiplies_are_its_largest_each_shape_once() -> None:
    """Largest first; the router is not timed, attention is no multiply; the head is in 16 bits."""
    layer = (gemm("small", 10, 1000, 1000), gemm("up", 3000.4, 1000, 1000), gemm("same", 3000.2, 1000, 1000),
             gemm("router", 9000, 1000, 1000), Sdpa("sdpa", ONE, ONE, ONE), gemm("a", 500, 1000, 1000),
             gemm("b", 400, 1000, 1000), gemm("c", 300, 1000, 1000))  # fmt: skip
    found = shapes(run(precision="fp8"), timing(layer, (gemm("head", 7000, 1000, 1000),)), "bf16")
    assert [(op, dtype, float(m[0]), float(n[0]), float(k[0])) for op, dtype, m, n, k in found] == [
        ("head", "bf16", 7000, 1000, 1000), ("up", "fp8", 3000, 1000, 1000), ("a", "fp8", 500, 1000, 1000),
        ("b", "fp8", 400, 1000, 1000), ("c", "fp8", 300, 1000, 1000)]  # fmt: skip


@pytest.mark.parametrize(
    ("precision", "dtypes"), [("bf16", ["bf16"]), ("fp8", ["bf16", "fp8"]), ("fp16", []), ("fp4", ["bf16"])]
)
def test_a_large_square_is_timed_in_each_precision_that_the_gpu_has(precision: str, dtypes: list[str]) -> None:
    made = run(precision=precision)
    found = multiplies(made, None)
    assert [(f.op, f.dtype, float(f.m[0]), float(f.n[0]), float(f.k[0])) for f in found] == [
        ("square", dtype, 8192, 8192, 8192) for dtype in dtypes]  # fmt: skip
    assert [f.rate[0] for f in found] == [rate(made, d, *[column(8192.0)] * 3)[0] for d in dtypes]


def test_a_runs_own_multiplies_come_after_the_squares() -> None:
    r = run(precision="fp8")
    made = entries.step(r, layout.resolve(r), models.count(r.model)).timing
    found = multiplies(r, made)
    assert [f.op for f in found[:2]] == ["square", "square"] and len(found) == 2 + len(shapes(r, made, "bf16")) <= 7


def test_a_checkpoint_is_written_at_its_size_over_its_time() -> None:
    plan: Any = SimpleNamespace(size=column(6e11), save=column(30.0))
    found = write_rate(plan)
    assert found is not None and found[0] == 2e10
    assert write_rate(SimpleNamespace(size=column(6e11), save=None)) is None  # type: ignore[arg-type]


def test_memory_is_read_at_its_attained_rate() -> None:
    assert acceptance.memory_rate(run())[0] == pytest.approx(3.35e12 * 0.82, rel=1e-14)
