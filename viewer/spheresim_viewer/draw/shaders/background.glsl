// A sheet of paper, lit from above: what is behind everything, and what surfaces fade into.
vec3 background(vec2 at) {
    vec2 from_middle = (at - vec2(0.5, 0.58)) * vec2(1.0, 0.8);
    float off = min(1.9 * dot(from_middle, from_middle), 1.0);
    // Noise of half a shade (J. Jimenez, 2014) keeps 8 bits from making bands.
    float noise = fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584)))) - 0.5;
    return noise / 255.0 + mix(vec3(0.965, 0.968, 0.973), vec3(0.835, 0.855, 0.885), off * (2.0 - off));
}
