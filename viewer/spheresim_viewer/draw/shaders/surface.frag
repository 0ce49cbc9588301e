#version 330 core
#include "frame.glsl"
#include "light.glsl"
#include "background.glsl"
in vec3 at;
in vec3 outwards;
in vec2 grid;
in float faded;
flat in float has_grid;
uniform vec4 ghost;   // color and opacity of the offset primitives; opacity 0 for real surfaces
out vec4 color;

float lines(vec2 place, vec2 wide) {
    vec2 from_line = abs(fract(place - 0.5) - 0.5) / max(wide, vec2(1e-6));
    vec2 drawn = clamp(1.2 - from_line, 0.0, 1.0) * clamp(1.4 - 4.0 * wide, 0.0, 1.0);
    return max(drawn.x, drawn.y);
}

void main() {
    float shown = 1.0 - faded;
    if (ghost.a > 0.0) {
        float edge = pow(1.0 - abs(dot(normalize(outwards), normalize(at))), 2.0);
        color = vec4(ghost.rgb, shown * (ghost.a + 0.3 * edge * (1.0 - has_grid)));
        return;
    }
    bool is_plane = has_grid > 0.5;
    vec3 albedo = is_plane ? vec3(0.74, 0.72, 0.69) : vec3(0.38, 0.43, 0.50);
    if (is_plane) {
        vec2 wide = fwidth(grid);
        albedo *= 1.0 - 0.17 * lines(grid, wide) - 0.10 * lines(0.2 * grid, 0.2 * wide);
    }
    vec3 normal = is_plane ? outwards : normalize(outwards);
    vec3 shaded = shade(albedo, at, normal, normalize(at), is_plane ? 0.0 : 0.12);
    if (is_plane && shown < 1.0)
        color = vec4(mix(background(gl_FragCoord.xy / screen.xy), shaded, shown), 1.0);
    else
        color = vec4(shaded, shown);
}
