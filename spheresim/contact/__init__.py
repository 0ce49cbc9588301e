"""Contact that lasts, below both engines: what touches, how it is pushed apart, when it rests."""
