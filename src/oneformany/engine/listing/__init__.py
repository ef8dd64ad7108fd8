"""Every column of a problem as a table, where listing all of them is affordable."""
