"""Rules of the layout in words, as tables count them; for one run the engine says more (engine/validity.py)."""

WORDS = {
    "gpus": "no more GPUs than the cluster has",
    "batch": "a batch of whole micro-batches on every data rank",
    "expert": "expert parallelism only with experts",
    "experts": "experts that divide by the expert degree",
    "expert ranks": "expert ranks that divide a stage's ranks",
    "expert ffn": "an expert's ffn that divides by expert_tensor",
    "chunks": "no more chunks than layers",
    "stages": "stages that list every layer",
    "even stages": "layers that divide by the chunks, which the framework needs",
    "micro-batch group": "a micro-batch for every stage, which the framework needs to interleave",
    "micro-batch rounds": "whole rounds of micro-batches, which the framework needs to interleave",
    "zero2": "zero2 only without pipeline stages",
    "shard group": "equal shard groups",
    "zero3 pipeline": "zero3 without pipeline stages, which the framework needs",
    "heads": "heads that divide by tensor",
    "mixer heads": "heads of the mixer that divide by tensor",
    "kv heads": "kv_heads that divide by tensor, or tensor by them",
    "sequence": "a sequence that splits over context and tensor",
    "context heads": "heads that divide by context (all_to_all)",
    "context kv heads": "kv_heads that divide by context (all_to_all)",
    "ffn": "an ffn that divides by tensor",
    "vocabulary": "a vocabulary that divides by tensor",
    "lora targets": "matrices that there are",
    "lora attention": "no adapters on low-rank attention",
    "lora parameters": "adapters in some layer",
}


def words(name: str) -> str:
    """A rule as tables of rules show it."""
    if name.startswith("schedule "):
        return "stages and micro-batches that the schedule can run"
    return WORDS.get(name, name)
