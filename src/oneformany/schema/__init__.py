"""Features, levels and rules: how a data frame becomes codes, and what may change."""
