"""What can be asked beyond one answer: whole curves, one row by itself, subgroups side by side."""
