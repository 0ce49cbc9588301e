#version 330 core
#include "frame.glsl"
// What a ball hides of the sky over a point (I. Quilez, Sphere ambient occlusion): cos θ (r/d)²;
// and, lit from straight above, a soft shadow that says over which place the ball is.
uniform sampler2D relief;
uniform float straight_down;   // how dark the latter is
flat in vec4 ball;
flat in vec4 ground;
out vec4 color;

void main() {
    vec4 here = texelFetch(relief, ivec2(gl_FragCoord.xy) / 2, 0);
    vec3 ray = vec3((gl_FragCoord.xy - line_of_sight) * screen_pixel, -1.0);
    vec3 point = ray * abs(here.w);
    bool on_plane = here.w < 0.0;
    bool meant = dot(ground.xyz, ground.xyz) > 0.0;
    float apart = abs(dot(ground.xyz, point) - ground.w);
    // Within 3.6°: nearer slopes than that are not told apart, nor are the relief's rounded normals.
    bool is_there = here.w != 0.0 && on_plane == meant
        && (!meant || (apart < 0.1 * ball.w + 2e-3 && dot(ground.xyz, here.xyz) > 0.998));
    vec3 d = ball.xyz - point;
    float squared = dot(d, d);
    float r = ball.w;
    float near = max(1.0 - squared / (12.0 * r * r), 0.0);
    float hidden = 0.8 * max(dot(here.xyz, d), 0.0) * r * r * inversesqrt(squared) / squared * near;
    float height = dot(d, up.xyz);
    float above = max(height / r - 1.0, 0.0);
    float wide = 1.0 + 0.10 * min(above, 8.0);
    float off = sqrt(max(squared - height * height, 0.0)) / (r * wide);
    float soft = clamp((1.35 - off) / 0.9, 0.0, 1.0);
    soft = soft * soft * (3.0 - 2.0 * soft);
    float below = clamp(4.0 * dot(here.xyz, up.xyz), 0.0, 1.0) * step(0.0, height);
    below *= meant ? 1.0 : min(3.0 * near, 1.0);  // no further than what is drawn
    hidden = max(hidden, straight_down * below * soft / (1.0 + 0.07 * above));
    hidden = is_there ? clamp(hidden, 0.0, 0.85) : 0.0;
    color = vec4(mix(vec3(1.0), vec3(0.22, 0.22, 0.27), hidden), 1.0);
}
