"""Least cost without a listing: prices of rows, and the groups that save most against them."""
