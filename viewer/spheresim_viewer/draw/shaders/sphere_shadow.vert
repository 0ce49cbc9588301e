#version 330 core
#include "frame.glsl"
in vec3 centre;
in float radius;
out vec2 place;
flat out float depth;

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec4 seen = light_view * vec4(centre, 1.0);
    float across = length(vec3(light_view[0].x, light_view[1].x, light_view[2].x)) * radius;
    depth = length(vec3(light_view[0].z, light_view[1].z, light_view[2].z)) * radius;
    gl_Position = vec4(seen.xy + place * across, seen.z * 2.0 - 1.0, 1.0);
}
