// What the vertex shaders of balls hand on, all in eye space.
flat out vec4 ball;       // centre and radius
flat out float away;      // the centre's distance from the eye, squared
flat out vec3 tint;

void hand_on(vec3 middle, float extent, vec3 color) {
    ball = vec4(middle, extent);
    away = dot(middle, middle);
    tint = color * color;  // to linear light, gamma 2
}
