"""Where points, faces and edges of a posed body lie: what every algorithm here stands on."""
