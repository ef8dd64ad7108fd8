"""Set covers over a list of columns: linear relaxations, and the smallest cover with its proof."""
