"""Where columns come from: one protocol, a file for each kind of source, and the one choice between them."""
