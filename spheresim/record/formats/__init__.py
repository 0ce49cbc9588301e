"""The formats in which frames and impacts are written, a file each."""
