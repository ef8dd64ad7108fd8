"""Oracles."""
