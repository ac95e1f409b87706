"""The two commands, `render` and `scn`."""
