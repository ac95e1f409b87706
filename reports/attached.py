"""Where the files stand that travel in a PDF: taken out into an empty folder, they are found by each other again."""

import posixpath
from collections.abc import Iterable

HOME = "scenario"  # the folder of the scenario, where it reads a file from outside of its own


def placed(paths: Iterable[str]) -> dict[str, str]:
    """{path from the scenario's folder: name of the attachment}.

    The names are the paths; where one leads out of the folder (`../site/clusters.scn`), all stand as many folders down.
    """
    known = [posixpath.normpath(path) for path in paths]
    up = max((path.split("/").count("..") for path in known), default=0)
    return {path: posixpath.normpath("/".join([*[HOME] * up, path])) for path in known}
