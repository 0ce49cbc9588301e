#version 330 core
#include "frame.glsl"
#include "light.glsl"
// The tutorial's own idea draws the picture: a ray from the eye against a sphere.
flat in vec4 ball;
flat in float away;
flat in vec3 tint;
flat in vec4 hidden;
uniform float opacity;
out vec4 color;

void main() {
    // The ray is followed to the plane through the centre c, at right angles to c. There
    // |seen|² = |c|² + ρ², and it passes c at a distance of |c|·ρ / |seen|, after a way of
    // |c|² / |seen|.
    vec3 seen = vec3((gl_FragCoord.xy - line_of_sight) * screen_pixel, -1.0);
    seen *= away / dot(seen, ball.xyz);
    vec3 aside = seen - ball.xyz;
    float rho_squared = dot(aside, aside);
    float shorten = inversesqrt(away + rho_squared);
    float along = away * shorten;
    float off_squared = rho_squared * along * shorten;
    float coverage = clamp(0.5 + (ball.w - sqrt(off_squared)) / (screen_pixel * along), 0.0, 1.0);
    if (coverage <= 0.0)
        discard;
    vec3 direction = seen * shorten;
    vec3 hit = direction * (along - sqrt(max(ball.w * ball.w - off_squared, 0.0)));
    gl_FragDepth = 0.5 - 0.5 * (projection[2][2] * hit.z + projection[3][2]) / hit.z;
    vec3 normal = (hit - ball.xyz) / ball.w;
    float open = max(hidden.w - max(dot(normal, hidden.xyz), 0.0), 0.25);
    color = vec4(shade(tint, hit, normal, direction, 0.35, open), coverage * opacity);
}
