"""Plots: one function per file, each draws on given axes or makes its own."""
