"""How much is read: one table of the bounds on every input, each well above what a person writes or a run records.

Past a bound there is a problem that names it; nothing is cut off in silence. Where a bound is a length or a count, the
work behind it is proportional to it or to its square, so that each input is answered in seconds.
"""

from typing import NamedTuple


class Bound(NamedTuple):
    """One bound: of which input, what is counted, and the most of it that is read."""

    of: str
    counted: str
    most: int
    unit: str = ""


DEEPEST = 200  # nested brackets and blocks; recursive readers of the tree rely on it
FILE = 500_000  # bytes; the library's largest file has 40 thousand
TOGETHER = 2_000_000  # bytes of a scenario's own files
FILES = 100
IMPORTS = 500  # statements in all files
LINES = 50_000
LINE = 50_000  # characters
WORDS = 50_000  # of one file: names, numbers, signs; the library's largest has about 8 thousand
BLOCKS = 1_000  # at the top of one file
PARTS = 500  # blocks inside one block
NAME = 100  # characters: documents and their files are named by it
TEXT = 4_000  # characters of a text in quotes
DIGITS = 40  # of a literal; enough for every float, and 1e999999999 must not keep us busy
TINY, HUGE = 1e-30, 1e30  # of a setting in base units; products of a few of them stay within what a float holds
AXIS = 100_000  # values of one axis
AXES = 200_000  # of all axes of a table
POINTS = 100_000_000  # of a table
SHOWN = 100  # problems of one call that are printed
HINTS = 10_000  # names among which the nearest is looked for
HINTED = 100  # problems for which the nearest legal name is looked for: that takes the square of the names

TABLE = 25_600_000  # bytes
TRACE = 256_000_000  # bytes unpacked; a trace of one step of a 70B model has some tens of millions
VALUES = 20_000_000  # of a trace; each needs about 70 bytes of memory
LOG_LINES = 2_000_000  # of a log, a table of kernels, output of a test
ROWS = 100_000
KERNELS_NAMED, KERNEL = 20_000, 2_000  # names of one file, characters of one; a step has some hundreds of names
RANKS = 10_000  # that one table of kernels holds
TESTS = 1_000  # of one output of nccl-tests
LOG_LINE = 20_000  # characters of a line of a log that are read
CONFIGURATION = 1_000_000  # bytes of what a person or a framework writes: arguments, TOML, YAML, a config.json
DIMENSION = 10**13  # no dimension of a model is larger

MESSAGE = 20_000_000  # bytes that an editor sends at once; a text is one message
DOCUMENT = 200_000_000  # bytes of a document that is read back; one of 10 000 points has some tens of millions
MEASURED = 1_000  # columns of a table of published runs
PDF, CHECKED = 200_000_000, 300  # bytes of a PDF that is checked, seconds of the processor for it
LOGO = 500_000  # bytes
PIXELS = 4_000_000  # of a logo, unpacked
USES = 20  # of an SVG: parts that repeat parts that repeat parts grow without end
TEMPLATE, TEMPLATES = 500_000, 200  # bytes of a file, files of a folder

SCENARIO, IMPORTED, REPORT, READ = "scenario", "imported file", "report", "read back"
BOUNDS = (
    Bound(SCENARIO, "one file", FILE, "bytes"),
    Bound(SCENARIO, "all its files, the library's apart", TOGETHER, "bytes"),
    Bound(SCENARIO, "files", FILES),
    Bound(SCENARIO, "imports", IMPORTS),
    Bound(SCENARIO, "lines of a file", LINES),
    Bound(SCENARIO, "a line", LINE, "characters"),
    Bound(SCENARIO, "words and signs of a file", WORDS),
    Bound(SCENARIO, "blocks of a file", BLOCKS),
    Bound(SCENARIO, "blocks inside one block", PARTS),
    Bound(SCENARIO, "blocks, brackets, signs and copies inside each other", DEEPEST),
    Bound(SCENARIO, "a name", NAME, "characters"),
    Bound(SCENARIO, "a text in quotes", TEXT, "characters"),
    Bound(SCENARIO, "a number", DIGITS, "digits"),
    Bound(SCENARIO, "a value of a setting, in base units; 1 over that is the smallest above 0", 10**30),
    Bound(SCENARIO, "values of an axis", AXIS),
    Bound(SCENARIO, "values of all axes of a table", AXES),
    Bound(SCENARIO, "points of a table", POINTS),
    Bound(SCENARIO, "problems that are printed", SHOWN),
    Bound(IMPORTED, "a trace or log, unpacked", TRACE, "bytes"),
    Bound(IMPORTED, "a table or job file, unpacked", TABLE, "bytes"),
    Bound(IMPORTED, "values of a trace", VALUES),
    Bound(IMPORTED, "lines of a log, of output, of a table of kernels", LOG_LINES),
    Bound(IMPORTED, "rows of a table of matrix multiplies", ROWS),
    Bound(IMPORTED, "different names of kernels in one file", KERNELS_NAMED),
    Bound(IMPORTED, "a kernel's name; the rest of it is passed over", KERNEL, "characters"),
    Bound(IMPORTED, "devices of a table of kernels", RANKS),
    Bound(IMPORTED, "tests of one output of nccl-tests", TESTS),
    Bound(IMPORTED, "a line of a log; the rest of it is passed over", LOG_LINE, "characters"),
    Bound(IMPORTED, "a line of arguments or TOML", LINE, "characters"),
    Bound(IMPORTED, "a config.json, TOML, YAML or arguments", CONFIGURATION, "bytes"),
    Bound(IMPORTED, "a dimension of a model", DIMENSION),
    Bound(READ, "the JSON of an earlier rendering", DOCUMENT, "bytes"),
    Bound(READ, "its values", VALUES),
    Bound(READ, "a table of published runs, an acceptance sheet", TABLE, "bytes"),
    Bound(READ, "rows of one", ROWS),
    Bound(READ, "columns of one", MEASURED),
    Bound(READ, "a PDF that is checked", PDF, "bytes"),
    Bound(READ, "the check of it", CHECKED, "s of the processor"),
    Bound(READ, "a message of an editor", MESSAGE, "bytes"),
    Bound(REPORT, "the logo", LOGO, "bytes"),
    Bound(REPORT, "the logo, unpacked", PIXELS, "pixels"),
    Bound(REPORT, "parts of an SVG logo that repeat others", USES),
    Bound(REPORT, "a file of a template folder", TEMPLATE, "bytes"),
    Bound(REPORT, "files of a template folder", TEMPLATES),
)
