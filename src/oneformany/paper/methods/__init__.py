"""The two methods of the paper, as published and with refinements, on open and closed solvers."""
