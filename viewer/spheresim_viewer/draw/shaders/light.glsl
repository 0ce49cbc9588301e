// Light: a sky brighter than the ground, one lamp far away, and light from where the eye is.
#ifdef SHADOWS
// How much of 4 x 4 texels is lit at a depth, weighted as if 3 x 3 slid smoothly: percentage-closer
// filtering. corner, part: the second texel, and how far the middle is past it.
#ifdef GL_ES
uniform highp sampler2DShadow shadow_map;

float lit_part(vec2 corner, vec2 part, float depth, float texel) {
    // The texture unit compares 2 x 2 at once, and weighs them by where between them one looks.
    vec2 one = 2.0 - part, two = 1.0 + part;
    vec2 low = corner + (1.0 / one - 1.0) * texel, high = corner + (1.0 + part / two) * texel;
    return (one.x * one.y * textureLod(shadow_map, vec3(low, depth), 0.0)
        + two.x * one.y * textureLod(shadow_map, vec3(high.x, low.y, depth), 0.0)
        + one.x * two.y * textureLod(shadow_map, vec3(low.x, high.y, depth), 0.0)
        + two.x * two.y * textureLod(shadow_map, vec3(high, depth), 0.0)) / 9.0;
}
#else
uniform sampler2D shadow_map;  // pyglet knows no samplers that compare

float lit_part(vec2 corner, vec2 part, float depth, float texel) {
    float sum = 0.0;
    for (int i = -1; i <= 2; ++i)
        for (int j = -1; j <= 2; ++j) {
            float nearest = textureLod(shadow_map, corner + vec2(i, j) * texel, 0.0).r;
            float wx = i == -1 ? 1.0 - part.x : i == 2 ? part.x : 1.0;
            float wy = j == -1 ? 1.0 - part.y : j == 2 ? part.y : 1.0;
            sum += wx * wy * step(depth, nearest);
        }
    return sum / 9.0;
}
#endif

float lit_at(vec3 position, vec3 normal) {
    float texel = screen.w;
    // Moved out along the normal by a texel, or surfaces that the lamp grazes shade themselves.
    vec4 seen = light_view * vec4(position + normal * 3.0 * texel, 1.0);
    if (any(greaterThan(abs(seen.xy), vec2(1.0))))
        return 1.0;
    vec2 cell = (seen.xy * 0.5 + 0.5) / (0.5 * texel) - 0.5;
    vec2 corner = (floor(cell) + 0.5) * (0.5 * texel);
    return lit_part(corner, fract(cell), seen.z - 0.5 * texel, 0.5 * texel);
}
#endif

// The color that is seen of a surface: all in eye space, `direction` from the eye to it,
// the albedo in linear light; `open`: the part of the sky that nothing near it hides.
vec3 shade(vec3 albedo, vec3 hit, vec3 normal, vec3 direction, float gloss, float open) {
    float lamp = max(dot(normal, light.xyz), 0.0);
#ifdef SHADOWS
    mat3 to_stage = transpose(mat3(view));
    if (lamp > 0.0)
        lamp *= lit_at(eye.xyz + to_stage * hit, to_stage * normal);
#endif
    float sky = 0.5 + 0.5 * dot(normal, up.xyz);
    float facing = max(-dot(normal, direction), 0.0);
    vec3 ambient = mix(vec3(0.345, 0.33, 0.315), vec3(0.49, 0.505, 0.53), sky);
    vec3 linear = albedo * ((ambient + 0.17 * facing) * open + lamp * vec3(0.66, 0.635, 0.59) * (0.4 + 0.6 * open));
    if (gloss == 0.0)
        return sqrt(min(linear, vec3(1.0)));  // gamma 2: near enough to sRGB, and cheap
    vec3 middle = light.xyz - direction;
    float shine = max(dot(normal, middle) * inversesqrt(dot(middle, middle)), 0.0);
    shine *= shine; shine *= shine; shine *= shine;
    shine *= shine; shine *= shine; shine *= shine;  // to the 64th: Blinn and Phong's highlight
    float rim = 1.0 - facing;
    rim *= rim;
    linear += gloss * (lamp * shine + 0.13 * sky * open * rim * rim);
    return sqrt(min(linear, vec3(1.0)));
}
