// What the vertex shaders of balls hand on, all in eye space.
flat out vec4 ball;       // centre and radius
flat out float away;      // the centre's distance from the eye, squared
flat out vec3 tint;
flat out vec4 hidden;     // how much of the sky neighbours hide on their side; w: what is open all round

void hand_on(vec3 middle, float extent, vec3 color, vec4 neighbours) {
    ball = vec4(middle, extent);
    away = dot(middle, middle);
    tint = color * color;  // to linear light, gamma 2
    hidden = vec4(mat3(view) * neighbours.xyz, neighbours.w);
}
