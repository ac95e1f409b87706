"""The editor server: what the checker knows, said in the language server protocol. `scn lsp` starts it.

Only server.py knows the library that speaks the protocol (pygls, an optional part of the installation) and the
protocol's own types; the other files work on texts, spans and names.
"""
