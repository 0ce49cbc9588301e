#version 330 core
in vec2 place;
flat in float depth;

void main() {
    float rest = 1.0 - dot(place, place);
    if (rest < 0.0)
        discard;
    gl_FragDepth = gl_FragCoord.z - depth * sqrt(rest);
}
