"""The camera: its pose, its projection, and from where a scene is best seen."""
