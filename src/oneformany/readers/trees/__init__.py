"""Readers of trees, forests and boosted trees."""
