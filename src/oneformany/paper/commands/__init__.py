"""The commands below `oneformany bench`."""
