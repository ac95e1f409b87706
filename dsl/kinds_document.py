"""The schema of the document itself: what a report holds, and rules of thumb."""

from dsl.kind import Kind, row

CHECK = Kind(
    "check",
    "a rule of thumb",
    (
        row("severity", "choice", "what a check that does not hold means", "warn", "note", "warn", "fail"),
        row("when", "expression", "the check applies only where this holds"),
        row("advice", "text", "what to do"),
        row("source", "text", "where the rule was published"),
        row("limit", "expression", "the limit, as shown"),
        row("result", "expression", "the value held against it"),
    ),
    named="required",
    statements=("require", "let"),
)
REPORT = Kind(
    "report",
    "what the document holds",
    (
        row(
            "kind",
            "choice",
            "kind of document",
            "",
            "procurement",
            "design_review",
            "comparison",
            "validation",
            "one_page",
        ),
        row("sections", "list of sections", "chapters in this order; assumptions, checks and provenance stay"),
        row("show", "list of expression", "key numbers"),
        row("author", "text", "author"),
        row("reviewer", "text", "reviewer"),
        row("status", "text", "status of the document"),
        row("document", "text", "document number"),
        row("date", "date", "date of the document; none stated, none printed"),
        row("classification", "text", "classification line"),
        row("subtitle", "text", "one line under the title"),
        row("paper", "choice", "paper size", "A4", "A4", "Letter"),
        row(
            "locale",
            "choice",
            "how numbers are written: 1 234.5, or 1,234.5 (en), 1.234,5 (de), 1 234,5 (fr), 1’234.5 (de-CH)",
            "neutral",
            "neutral",
            "en",
            "de",
            "fr",
            "de-CH",
        ),
        row("currency", "text", "currency printed", '"USD"'),
        row("rate", "number", "units of that currency for one USD", "1"),
        row("logo", "file", "image for page 1"),
        row("start", "date", "first day of the run"),
        row("decision", "text", "what is asked of the reader"),
    ),
    (
        Kind(
            "condition",
            "a condition on the decision",
            (
                row("owner", "text", "who sees to it"),
                row("due", "date", "by when"),
                row("effect", "text", "if it is not met"),
                row("check", "text", "the check it belongs to"),
            ),
            named="optional",
            repeats=True,
        ),
        Kind(
            "approval",
            "a signature line",
            (row("role", "text", "role"), row("date", "date", "date")),
            named="optional",
            repeats=True,
        ),
        Kind(
            "revision",
            "one entry of the revision history",
            (
                row("date", "date", "date"),
                row("author", "text", "author"),
                row("change", "text", "what changed"),
            ),
            named="optional",
            repeats=True,
        ),
    ),
    named="optional",
)
