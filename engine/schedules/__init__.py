"""Pipeline schedules, one small module each; a new one is a module and a row here."""

from engine.schedules import dualpipe, dualpipe_v, gpipe, interleaved, one_f_one_b, zero_bubble
from engine.schedules.passes import Pass, PipelineSchedule, Rule, StageTimes, equal_stages

SCHEDULES: dict[str, PipelineSchedule] = {
    "gpipe": gpipe,
    "one_f_one_b": one_f_one_b,
    "interleaved": interleaved,
    "zero_bubble": zero_bubble,
    "dualpipe": dualpipe,
    "dualpipe_v": dualpipe_v,
}

__all__ = ["SCHEDULES", "Pass", "PipelineSchedule", "Rule", "StageTimes", "equal_stages"]
