#version 330 core
in vec2 place;
flat in float hole;
flat in vec4 tint;
out vec4 color;

void main() {
    float off = length(place);
    float soft = fwidth(off);
    float inside = clamp((1.0 - off) / soft + 0.5, 0.0, 1.0);
    float outside = hole > 0.0 ? clamp((off - hole) / soft + 0.5, 0.0, 1.0) : 1.0;
    float drawn = tint.a * inside * outside;
    if (drawn <= 0.0)
        discard;
    color = vec4(tint.rgb, drawn);
}
