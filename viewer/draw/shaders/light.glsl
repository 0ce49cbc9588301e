// Light: a sky brighter than the ground, one lamp far away, and its shadow.
uniform sampler2D shadow_map;

float lit_at(vec3 position, vec3 normal) {
    if (light.w == 0.0)
        return 1.0;
    float texel = screen.w;
    // Moved out along the normal by a texel, or surfaces that the lamp grazes shade themselves.
    vec4 seen = light_view * vec4(position + normal * 3.0 * texel, 1.0);
    if (any(greaterThan(abs(seen.xy), vec2(1.0))))
        return 1.0;
    vec2 cell = (seen.xy * 0.5 + 0.5) / (0.5 * texel) - 0.5;
    vec2 part = fract(cell);
    vec2 corner = (floor(cell) + 0.5) * (0.5 * texel);
    float sum = 0.0;  // percentage-closer filtering, 4 x 4, weighted as if 3 x 3 slid smoothly
    for (int i = -1; i <= 2; ++i)
        for (int j = -1; j <= 2; ++j) {
            float depth = textureLod(shadow_map, corner + vec2(i, j) * (0.5 * texel), 0.0).r;
            float wx = i == -1 ? 1.0 - part.x : i == 2 ? part.x : 1.0;
            float wy = j == -1 ? 1.0 - part.y : j == 2 ? part.y : 1.0;
            sum += wx * wy * step(seen.z - 0.5 * texel, depth);
        }
    return sum / 9.0;
}

vec3 shade(vec3 albedo, vec3 position, vec3 normal, float gloss) {
    vec3 to_eye = normalize(eye.xyz - position);
    float lamp = max(dot(normal, light.xyz), 0.0);
    if (lamp > 0.0)
        lamp *= lit_at(position, normal);
    float sky = 0.5 + 0.5 * dot(normal, up.xyz);
    vec3 ambient = mix(vec3(0.40, 0.385, 0.37), vec3(0.66, 0.675, 0.70), sky);
    vec3 middle = normalize(light.xyz + to_eye);
    float shine = gloss * lamp * pow(max(dot(normal, middle), 0.0), 70.0);
    float rim = gloss * 0.5 * sky * pow(1.0 - max(dot(normal, to_eye), 0.0), 4.0);
    vec3 linear = albedo * albedo * (ambient + lamp * vec3(0.52, 0.50, 0.46)) + shine + 0.25 * rim;
    return sqrt(min(linear, vec3(1.0)));  // gamma 2: near enough to sRGB, and cheap
}
