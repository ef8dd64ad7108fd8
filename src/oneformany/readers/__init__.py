"""Thin readers, one per library: fitted models in, oracles out."""
