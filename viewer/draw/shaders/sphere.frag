#version 330 core
#include "frame.glsl"
#include "light.glsl"
// The tutorial's own idea draws the picture: a ray from the eye against a sphere.
in vec3 seen;
flat in vec3 middle;
flat in float extent;
flat in vec4 tint;
uniform float opacity;
out vec4 color;

void main() {
    vec3 direction = normalize(seen);
    float along = dot(direction, middle);
    vec3 aside = middle - direction * along;
    float off = length(aside);                    // of the ray from the centre
    float pixel = 2.0 / (projection[1][1] * screen.y) * along;
    float coverage = clamp(0.5 + (extent - off) / pixel, 0.0, 1.0);
    if (coverage <= 0.0)
        discard;
    float half_chord = sqrt(max(extent * extent - off * off, 0.0));
    vec3 hit = direction * (along - half_chord);
    vec4 clip = projection * vec4(hit, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;

    mat3 to_stage = transpose(mat3(view));
    vec3 normal = to_stage * ((hit - middle) / extent);
    vec3 position = eye.xyz + to_stage * hit;
    color = vec4(shade(tint.rgb, position, normal, 0.35), coverage * opacity);
}
