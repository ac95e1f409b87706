"""Random scenario texts that follow the grammar, with white space of every kind; what they say need not make sense."""

from hypothesis import strategies as st

Text = st.SearchStrategy[str]

NAMES = ("a", "step", "from", "h100-sxm", "llama-3.1-70b.layers", "layout.tensor", "as", "x_1")
UNITS = ("GB", "Gb/s", "%", "tokens", "$/gpu-hour", "us")
NUMBERS = ("80", "80GB", "80  GB", "15T tokens", "24_576", "8Ki", "1.5e-3 us", "90%", "90 %", "7:1", "$2.10/gpu-hour")

spaces = st.sampled_from(("", " ", "\t", "   "))
gaps = st.sampled_from((" ", "  ", "\t"))
breaks = st.sampled_from(("\n", "\n\n", " \n", "\n\n\n  ", "  # a comment\n", "\n# another \n\n", "#\n"))
inner = spaces | breaks  # inside brackets and after operators
names = st.sampled_from(NAMES)
words = st.sampled_from(("a", "b2", "h100-sxm", "step", "tier", "from"))
texts = st.sampled_from(('"text"', '"a # b"', '""', '"a \\" b"'))
atoms = st.sampled_from(NUMBERS) | names | texts | st.just("true")


def joined(*parts: Text | str) -> Text:
    """The parts one after the other."""
    return st.tuples(*(st.just(p) if isinstance(p, str) else p for p in parts)).map("".join)


def compound(values: Text) -> Text:
    """Larger values made of smaller ones."""
    items = st.lists(joined(inner, values, inner), min_size=1, max_size=3).map(",".join)
    tail = st.sampled_from(("", ","))
    operators = st.sampled_from(("+", "-", "*", "/", "^"))
    return st.one_of(
        joined("(", inner, values, inner, ")"),
        joined("[", items, tail, inner, "]", st.sampled_from(("", *(f" {unit}" for unit in UNITS)))),
        joined("max", spaces, "(", items, tail, ")"),
        joined("f(n", spaces, "=", spaces, values, ")"),
        joined("(", values, gaps, operators, " ", inner, values, ")"),
        joined("(", st.sampled_from(("-", "- ", "+")), values, ")"),
        joined("(if", gaps, values, " then ", inner, values, " else ", values, ")"),
    )


values = st.recursive(atoms, compound, max_leaves=5)
sums = joined(values, gaps, st.sampled_from(("+", "-", "*", "/")), " ", inner, values) | values
conditions = st.one_of(
    joined(sums, gaps, st.sampled_from(("<=", "==", "<", "divides", "in")), gaps, inner, sums),
    joined("not", gaps, values, breaks, "and", gaps, values),
    joined(values, gaps, "or", gaps, values),
)
ranges = st.sampled_from(("1..8", "1 .. 64  doubling", "200..800 Gb/s step 200Gb/s"))
shown = joined(sums, " as ", st.sampled_from(UNITS), st.sampled_from(("", ' called "x"')))
settings = joined(names, spaces, "=", spaces, sums | shown | ranges)
plain = st.one_of(
    settings,
    joined("let", gaps, words, spaces, "=", spaces, sums),
    joined("where", gaps, conditions),
    joined("require", gaps, conditions, st.sampled_from(("", ' because "x"', '\n  because  "x"'))),
)
headers = st.sampled_from(("layout ", "tier node", 'run a  "T"', "run a from  b . c", "measured at a=1 and b = 2GB"))
separators = joined(spaces, breaks) | st.just(" \n") | joined(spaces, ",", spaces | breaks)


def blocks(statements: Text) -> Text:
    """Blocks with statements in them, on one line or on several."""
    body = st.lists(joined(statements, separators), max_size=4).map("".join)
    return joined(headers, spaces, "{", spaces | breaks, body, "}")


statements = st.recursive(plain, blocks, max_leaves=6)


def scenarios() -> Text:
    """Whole files."""
    lines = joined(statements, spaces, breaks)
    return joined(spaces | breaks, st.sampled_from(("", "edition  2026\n")), st.lists(lines, max_size=5).map("".join))


snippets = st.sampled_from((
    "run", " a", " {", "}", "\n", "=", " = ", "80GB", "[", "]", "(", ")", ",", '"', '"x"', "#", "# c", " and ", "-",
    "..", "require ", "let ", "because", "%", "$", "\t", "\r\n", "\ufeff", "é", "if ", " then ", "1", "\x0c",
))  # fmt: skip
