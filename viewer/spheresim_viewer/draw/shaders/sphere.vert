#version 330 core
#include "frame.glsl"
#include "ball.glsl"
// A quad around the outline of a sphere, for the fragments that may see it. It goes through
// the centre, at right angles to the line of sight.
layout(location = 0) in vec3 centre;
layout(location = 1) in float radius;
layout(location = 2) in vec4 color;
layout(location = 3) in vec4 neighbours;   // see nearness.py
uniform float scale;

void main() {
    vec3 middle = (view * vec4(centre, 1.0)).xyz;
    float extent = radius * scale;
    hand_on(middle, extent, color.rgb, neighbours);
    float tangent_squared = away - extent * extent;
    if (tangent_squared <= 0.0 || middle.z > extent) {  // the eye is inside, or looks elsewhere
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    // Seen from the eye the outline is a circle; on the quad it has this radius.
    float pixel = screen_pixel * sqrt(away);
    float wide = extent * sqrt(away / tangent_squared) + pixel;
    vec3 ahead = middle * inversesqrt(away);
    vec3 side = vec3(-ahead.z, 0.0, ahead.x);
    side *= inversesqrt(max(dot(side, side), 1e-20));
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec3 at = middle + wide * (corner.x * side + corner.y * cross(side, ahead));
    gl_Position = projection * vec4(at, 1.0);
}
