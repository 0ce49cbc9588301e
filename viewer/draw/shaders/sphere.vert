#version 330 core
#include "frame.glsl"
// A quad around the outline of a sphere, for the fragments that may see it.
in vec3 centre;
in float radius;
in vec4 color;
uniform float scale;
out vec3 seen;            // a point of the quad, in eye space
flat out vec3 middle;     // the centre, in eye space
flat out float extent;
flat out vec4 tint;

void main() {
    middle = (view * vec4(centre, 1.0)).xyz;
    extent = radius * scale;
    tint = color;
    float distance_squared = dot(middle, middle);
    float tangent_squared = distance_squared - extent * extent;
    if (tangent_squared <= 0.0) {  // the eye is inside: nothing to be seen
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    // Seen from the eye the outline is a circle, of this radius where its plane holds the centre.
    float pixel = 2.0 / (projection[1][1] * screen.y) * sqrt(distance_squared);
    float wide = extent * sqrt(distance_squared / tangent_squared) + pixel;
    vec3 ahead = middle * inversesqrt(distance_squared);
    vec3 side = normalize(abs(ahead.y) < 0.9 ? vec3(-ahead.z, 0.0, ahead.x)
                                             : vec3(0.0, ahead.z, -ahead.y));
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    seen = middle + wide * (corner.x * side + corner.y * cross(side, ahead));
    gl_Position = projection * vec4(seen, 1.0);
}
