#version 330 core
#include "frame.glsl"
in vec3 position;
in vec3 normal;
in vec2 place;        // on a plane, in units of its grid
in float fade;        // 1 where the surface goes on without an end
in float lined;       // whether it has a grid
out vec3 at;          // in eye space, as
out vec3 outwards;
out vec2 grid;
out float faded;
flat out float has_grid;

void main() {
    at = (view * vec4(position, 1.0)).xyz;
    outwards = mat3(view) * normal;
    grid = place;
    faded = fade;
    has_grid = lined;
    gl_Position = projection * vec4(at, 1.0);
}
