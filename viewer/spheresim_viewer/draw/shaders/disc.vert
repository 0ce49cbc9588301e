#version 330 core
#include "frame.glsl"
// A disc or a ring around a point: in a plane of its own, or facing the eye.
in vec3 centre;
in vec3 normal;       // 0: facing the eye
in vec2 radius;       // outer and inner, of which 0 makes a full disc
in vec4 color;
out vec2 place;
flat out float hole;
flat out vec4 tint;

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    hole = radius.y / radius.x;
    tint = color;
    vec3 n = dot(normal, normal) > 0.0 ? normal : normalize(eye.xyz - centre);
    vec3 side = normalize(abs(n.y) < 0.9 ? vec3(-n.z, 0.0, n.x) : vec3(0.0, n.z, -n.y));
    vec3 at = centre + radius.x * (place.x * side + place.y * cross(n, side));
    gl_Position = projection * view * vec4(at, 1.0);
    // Seen as if it stood before what it lies in, or half of it would be hidden.
    float before = dot(normal, normal) > 0.0 ? 0.0 : radius.x;
    vec3 nearer = at + normalize(eye.xyz - at) * before;
    vec4 shown = projection * view * vec4(nearer, 1.0);
    gl_Position.z = (shown.z / shown.w - 1e-4) * gl_Position.w;
}
