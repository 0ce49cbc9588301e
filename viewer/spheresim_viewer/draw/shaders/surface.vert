#version 330 core
#include "frame.glsl"
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 place;        // on a plane, in units of its grid
layout(location = 3) in vec2 fade;         // 1 where the surface goes on without an end; how much others hide its sky
layout(location = 4) in vec4 look;         // color in linear light, and what is drawn on it
out vec3 at;          // in eye space, as
out vec3 outwards;
out vec2 grid;
out vec2 faded_hidden;
flat out vec4 finish;

void main() {
    at = (view * vec4(position, 1.0)).xyz;
    outwards = mat3(view) * normal;
    grid = place;
    faded_hidden = fade;
    finish = look;
    gl_Position = projection * vec4(at, 1.0);
}
