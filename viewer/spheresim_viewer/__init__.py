"""The viewer: watch a scene, stop it, rewind it, look inside."""
