"""The oracle for sums of decision trees."""
