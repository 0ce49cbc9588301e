#version 330 core
#include "frame.glsl"
// Where a ball may darken what is near it: on a plane the disc below it, else all around it.
in vec4 shadowing;    // centre and radius of the ball
in vec4 reach;        // centre and radius of what is drawn
in vec3 normal;       // of the plane; 0 where it is none
flat out vec4 ball;   // in eye space
flat out vec4 ground; // the plane's normal, and its distance from the eye along it

void main() {
    ball = vec4((view * vec4(shadowing.xyz, 1.0)).xyz, shadowing.w);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec3 middle = (view * vec4(reach.xyz, 1.0)).xyz;
    vec3 n = mat3(view) * normal;
    ground = vec4(n, dot(n, middle));
    if (dot(n, n) == 0.0)
        n = -normalize(middle);
    vec3 side = normalize(abs(n.y) < 0.9 ? vec3(-n.z, 0.0, n.x) : vec3(0.0, n.z, -n.y));
    vec3 at = middle + reach.w * (corner.x * side + corner.y * cross(n, side));
    gl_Position = projection * vec4(at, 1.0);
    gl_Position.z = 0.0;
    if (ground.w > 0.0)  // the plane is seen from behind, and not drawn
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
