"""Speed, side by side with others."""
