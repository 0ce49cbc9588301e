"""Rendering with OpenGL 3.3 core: balls as ray-traced impostors, the rest as meshes."""
