"""`make mutants`: how many of the random changes to `dsl/` and `engine/` do the tests notice?"""
