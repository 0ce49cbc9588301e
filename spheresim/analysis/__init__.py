"""What a physicist measures of a state and of a run."""
