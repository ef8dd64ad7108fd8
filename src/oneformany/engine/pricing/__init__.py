"""Pricing: which columns exist, found by a compiled search, with a proved bound on all of them."""
