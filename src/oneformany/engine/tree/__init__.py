"""Branch and price: nodes, column generation in a node, and what to branch on."""
