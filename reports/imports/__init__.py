"""Files of other programs as text of the scenario language: each format reads, fits with the engine, and prints."""
