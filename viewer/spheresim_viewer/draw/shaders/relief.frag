#version 330 core
// What is in front at each pixel of the room without its balls: normal and distance ahead,
// negative on planes. Kept as long as the camera stands still.
in vec3 at;
in vec3 outwards;
flat in vec4 finish;
out vec4 relief;

void main() {
    relief = vec4(normalize(outwards), finish.w == 1.0 ? at.z : -at.z);
}
