"""The head-up display over the picture: numbers, plots, the time line, help."""
