#version 330 core
#include "frame.glsl"
#include "light.glsl"
#include "background.glsl"
in vec3 at;
in vec3 outwards;
in vec2 grid;
in vec2 faded_hidden;
flat in vec4 finish;
#ifdef GHOST
uniform vec4 ghost;   // color and opacity of the offset primitives
#endif
out vec4 color;

#define PLAIN 0.0
#define GRID 1.0      // a plane, with a grid
#define HATCH 2.0     // where a solid is cut open

float lines(vec2 place, vec2 wide) {
    vec2 from_line = abs(fract(place - 0.5) - 0.5) / max(wide, vec2(1e-6));
    vec2 drawn = clamp(1.2 - from_line, 0.0, 1.0) * clamp(1.4 - 4.0 * wide, 0.0, 1.0);
    return max(drawn.x, drawn.y);
}

void main() {
    float shown = 1.0 - faded_hidden.x;
    bool is_plane = finish.w == GRID;
    vec3 normal = normalize(outwards);
#ifdef GHOST
    float edge = 1.0 - abs(dot(normal, normalize(at)));
    color = vec4(ghost.rgb, shown * (ghost.a + (is_plane ? 0.0 : 0.3 * edge * edge)));
#else
    vec3 albedo = finish.rgb;
    vec2 wide = fwidth(grid);
    if (is_plane)
        albedo *= 1.0 - 0.17 * lines(grid, wide) - 0.10 * lines(0.2 * grid, 0.2 * wide);
    float gloss = finish.w == PLAIN ? 0.12 : 0.0;
    vec3 shaded = shade(albedo, at, normal, normalize(at), gloss, 1.0 - faded_hidden.y);
    if (finish.w == HATCH) {  // as draughtsmen mark a section
        float across = grid.x + grid.y, thin = fwidth(across);
        float line = clamp((0.16 - abs(fract(across) - 0.5)) / max(thin, 1e-6) + 0.5, 0.0, 1.0);
        shaded = mix(finish.rgb, vec3(0.62, 0.67, 0.73), mix(line, 0.32, clamp(2.0 * thin - 0.4, 0.0, 1.0)));
    }
    color = vec4(mix(background(gl_FragCoord.xy / screen.xy), shaded, shown), 1.0);
#endif
}
