"""How a number came about: the engine's own formulas, run on columns that remember what was done to them.

    tracing.py     a run evaluated under record: settings go in as leaves, results come out as nodes
    traced.py      the column that records; graph.py what it records; origin.py where a plain number comes from
    naming.py      which functions and fields of the engine give a node its name (quantities.py)
    documented.py  what the docstrings of these functions say: text, source, what is left out
    formula.py     from nodes to a formula in the names of the nodes below; tree.py the whole tree of a result

Nothing here is a second model: the record is made by the functions that evaluate, so that it cannot differ from them,
and it costs nothing where it is not asked for.
"""
