"""Contact that lasts, in the exact engine: single balls on supports, and islands of balls."""
