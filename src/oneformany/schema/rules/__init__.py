"""What a row may and may not change: rules on the moves of one feature, and rules on whole rows."""
