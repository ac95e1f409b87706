"""Records the results of today: `python -m tests.recorded`."""

from tests.recorded import HERE, written

for name, text in written().items():
    (HERE / name).write_text(text, "utf-8")
    print(HERE / name)
