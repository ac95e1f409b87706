"""`scn lsp`: the language server, for editors."""

import gc
import logging
import os

import click

from dsl.inside import Unreadable
from reports.commands import shell
from reports.commands.allowed import allow_import, allowed

HOW = "pip install 'tonnage[lsp]', or: pip install pygls"


@click.command()
@allow_import
def lsp() -> int:
    """Serve an editor over standard input and output: problems as one types, completion, hover, definition, rename.

    Exit: 0 the editor said goodbye, 2 it sent more than is read, 3 pygls is not installed.
    """
    from importlib.metadata import version

    from dsl.server.hover import Result
    from engine.metrics import FACTS, METRICS

    try:
        from dsl.server.server import serve
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        shell.complain(f"scn lsp needs pygls: {HOW}")
        return shell.CANNOT_WRITE
    gc.disable()  # the server collects garbage when nobody types
    if not os.environ.get("TONNAGE_TRACEBACK"):
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # the editor is told; a refusal is no accident
    results = [Result(m.name, m.unit, m.doc) for m in (*METRICS, *FACTS)]
    try:
        serve({m.name: m.dimension for m in (*METRICS, *FACTS)}, results, version("tonnage"), allowed())
    except Unreadable as error:
        shell.complain(f"error: a message of the editor {error.why}")
        return shell.IN_ERROR
    return shell.HOLDS
