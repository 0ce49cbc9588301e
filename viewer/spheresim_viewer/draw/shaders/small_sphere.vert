#version 330 core
#include "frame.glsl"
#include "ball.glsl"
// A square of pixels around a small sphere: one vertex in place of four.
layout(location = 0) in vec3 centre;
layout(location = 1) in float radius;
layout(location = 2) in vec4 color;
layout(location = 3) in vec4 neighbours;   // see nearness.py
uniform float scale;

void main() {
    vec3 middle = (view * vec4(centre, 1.0)).xyz;
    float extent = radius * scale;
    hand_on(middle, extent, color.rgb, neighbours);
    gl_PointSize = 2.0 * (extent / (screen_pixel * -middle.z) + 1.5);
    gl_Position = projection * vec4(middle, 1.0);
}
