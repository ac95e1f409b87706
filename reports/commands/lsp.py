"""`scn lsp`: the language server, for editors."""

import gc

import click

from reports.commands import shell

HOW = "pip install 'tonnage[lsp]', or: pip install pygls"


@click.command()
def lsp() -> int:
    """Serve an editor over standard input and output: problems as one types, completion, hover, definition, rename.

    Exit: 0 the editor said goodbye, 3 pygls is not installed.
    """
    try:
        import pygls.lsp.server as _  # noqa: F401 - the one part that an installation may lack
    except ImportError:
        shell.complain(f"scn lsp needs pygls: {HOW}")
        return shell.CANNOT_WRITE
    from importlib.metadata import version

    from dsl.server.hover import Result
    from dsl.server.server import serve
    from engine.metrics import FACTS, METRICS

    gc.enable()  # unlike a check, a server lives long
    results = [Result(m.name, m.unit, m.doc) for m in (*METRICS, *FACTS)]
    serve({m.name: m.dimension for m in (*METRICS, *FACTS)}, results, version("tonnage"))
    return shell.HOLDS
