"""Classifiers as the engine asks them, and the readers that turn fitted models into such oracles."""
