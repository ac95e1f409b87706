"""Predictions held against published runs: a table of measured rows in, errors by group out."""
