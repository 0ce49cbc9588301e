#version 330 core
#include "frame.glsl"
// A straight line of some width on the screen, in points; pointed if one width is 0.
in vec3 start;
in vec3 end;
in vec2 width;
in vec4 start_color;
in vec4 end_color;
out vec4 tint;

void main() {
    vec4 a = view * vec4(start, 1.0);
    vec4 b = view * vec4(end, 1.0);
    float near = -1e-4;  // what is behind the eye is cut off, or it would turn up mirrored
    if (a.z > near && b.z > near) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    if (a.z > near) a = mix(a, b, (near - a.z) / (b.z - a.z));
    if (b.z > near) b = mix(b, a, (near - b.z) / (a.z - b.z));
    a = projection * a;
    b = projection * b;
    vec2 along = (b.xy / b.w - a.xy / a.w) * screen.xy;
    along = dot(along, along) > 1e-12 ? normalize(along) : vec2(1.0, 0.0);
    bool at_end = (gl_VertexID & 1) == 1;
    float across = float(gl_VertexID >> 1) * 2.0 - 1.0;
    vec4 here = at_end ? b : a;
    float wide = (at_end ? width.y : width.x) * screen.z;
    tint = at_end ? end_color : start_color;
    tint.a *= min(1.0, max(width.x, width.y) * screen.z);
    vec2 aside = vec2(-along.y, along.x) * across * max(wide, at_end ? width.y : 1.0) / screen.xy;
    gl_Position = here + vec4(aside * here.w, -2e-5 * here.w, 0.0);
}
