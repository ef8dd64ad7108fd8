"""Branch and price: column generation in a node, enumeration to close its gap, dives, what to branch on."""
