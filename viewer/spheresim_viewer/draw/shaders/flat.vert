#version 330 core
#include "frame.glsl"
in vec2 position;     // in pixels from the lower left
in vec4 color;
out vec4 tint;

void main() {
    tint = color;
    gl_Position = vec4(position / screen.xy * 2.0 - 1.0, 0.0, 1.0);
}
