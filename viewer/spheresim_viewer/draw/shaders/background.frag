#version 330 core
#include "background.glsl"
in vec2 place;
out vec4 color;

void main() {
    color = vec4(background(place), 1.0);
}
