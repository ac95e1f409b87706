"""Writes into the files of tests/problems what checking says of them now; `git diff` shows what has changed.

Run from the root: PYTHONPATH=. python tools/problem_files.py
"""

import os

from tests.problem_files import FOLDER, cases, written_down

if __name__ == "__main__":
    for folder in (FOLDER, FOLDER / "not_yet_good"):
        os.chdir(folder)
        for one in cases(folder):
            one.path.write_bytes(written_down(one))
