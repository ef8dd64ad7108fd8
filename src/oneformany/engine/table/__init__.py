"""What to choose from a table of columns: the fewest that cover all, the best of so many, the cheapest."""
