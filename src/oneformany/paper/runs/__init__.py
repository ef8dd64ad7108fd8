"""Benchmarks: the cells of the paper's tables, run and set beside what it printed."""
