// What is the same for all that is drawn in one frame. Positions are in stage units:
// the middle of the stage is the origin, and half its diagonal is 1.
layout(std140) uniform Frame {
    mat4 view;
    mat4 projection;
    mat4 light_view;      // into the shadow map: x, y from -1 to 1, depth from 0 to 1
    vec4 eye;
    vec4 light;           // unit vector to the lamp, in eye space; w: whether shadows are on
    vec4 up;              // unit vector, in eye space; w: screen_pixel
    vec4 screen;          // width and height in pixels; pixels in a point; texel of the shadow map
};

#define screen_pixel up.w  // the width of a pixel at distance 1
#define line_of_sight (0.5 * screen.xy * (1.0 - projection[2].xy))  // the pixel that the eye looks at
