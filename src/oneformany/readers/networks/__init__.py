"""Readers of feed-forward networks with ReLU units."""
