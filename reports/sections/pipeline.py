"""The pipeline: stages with their times, the schedule as a timeline, the bubble."""

from reports.plan import Plan, Section
from reports.tables import Table, number, text
from reports.terms import words


def pipeline(plan: Plan) -> Section | None:
    """Left out where there is one stage: then there is no pipeline."""
    stages, timeline = plan.point["stages"], plan.point.get("timeline")
    if len(stages) < 2:
        return None
    rows = tuple((str(s["stage"]), s["layers"], s["forward"], s["backward"], s["send"]) for s in stages)
    columns = (
        text("Stage", 24),
        number("Layers", decimals=0),
        number("Forward", "ms", 2, width=30),
        number("Backward", "ms", 2, width=30),
        number("Send", "ms", 2, width=28),
    )
    layers = [s["layers"] for s in stages]
    return Section(
        "pipeline",
        "Pipeline",
        (Table("stages", "Pipeline stages: time of one micro-batch", columns, rows, wide=True),),
        ("pipeline_schedule",),
        ("bubble",),
        facts={
            "schedule": words(str(plan.setting("layout.schedule", ""))),
            "stages": len(stages),
            "uneven": len(set(layers)) > 1,
            "layers": layers,
            "virtual": plan.number("layout.schedule.virtual_stages"),
            "note": (timeline or {}).get("shown_note"),
        },
    )
