#version 330 core
#include "frame.glsl"
in vec3 position;

void main() {
    vec4 seen = light_view * vec4(position, 1.0);
    gl_Position = vec4(seen.xy, seen.z * 2.0 - 1.0, 1.0);
}
