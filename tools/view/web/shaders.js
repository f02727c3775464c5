// Programs for the graphics processor. The state of body i is in three texels: position and presence,
// quaternion x y z w, colour and opacity.

const stateShader = `
uniform highp sampler2D state;
struct Body { vec3 position; float present; vec4 turn; vec4 colour; };
Body bodyAt(float number) {
  int i = int(number);
  ivec2 at = ivec2(3 * (i % 512), i / 512);
  vec4 place = texelFetch(state, at, 0);
  return Body(place.xyz, place.w, texelFetch(state, at + ivec2(1, 0), 0), texelFetch(state, at + ivec2(2, 0), 0));
}
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
// Which pass a body is drawn in: 0 solid, 1 seen through, 2 all.
uniform int pass;
bool drawn(Body b) { return b.present > 0.5 && b.colour.a > 0.0 && (pass == 2 || (b.colour.a < 0.99) == (pass == 1)); }
const vec4 nowhere = vec4(2.0, 2.0, 2.0, 1.0);
`;

// Light from the sky and from a lamp with a shadow; bodies that are seen through show their rim only.
const lightShader = `
uniform highp sampler2DShadow shadowMap;
uniform mat4 toShadow;
uniform vec3 lamp;       // direction to it, world axes
uniform vec3 sky;        // up
uniform vec3 eye;
uniform float shadows;   // 0: none
float lit(vec3 world, vec3 n) {
  if (shadows == 0.0) return 1.0;
  vec4 p = toShadow * vec4(world + n * shadows, 1.0);
  vec3 c = p.xyz * 0.5 + 0.5;
  float sum = 0.0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) sum += texture(shadowMap, c + vec3(vec2(i, j) / 2048.0 * 1.3, -0.0006));
  return sum / 9.0;
}
vec4 shaded(vec3 world, vec3 n, vec4 colour) {
  vec3 v = normalize(eye - world);
  float facing = abs(dot(n, v));
  if (colour.a < 0.99) {
    float rim = pow(1.0 - facing, 2.5);
    return vec4(colour.rgb, clamp(colour.a * (0.45 + 2.4 * rim), 0.0, 0.9));
  }
  float lampLight = max(dot(n, lamp), 0.0) * lit(world, n);
  float ambient = 0.6 + 0.14 * dot(n, sky);
  vec3 half_way = normalize(lamp + v);
  float shine = 0.16 * pow(max(dot(n, half_way), 0.0), 38.0) * step(0.001, lampLight);
  return vec4(colour.rgb * (ambient + 0.5 * lampLight) + shine, 1.0);
}
`;

const meshVertex = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 edge;
layout(location = 3) in float body;
uniform mat4 view, projection;
${stateShader}
out vec3 world, n, border;
out vec4 colour;
void main() {
  Body b = bodyAt(body);
  world = b.position + turned(b.turn, place);
  n = turned(b.turn, normal);
  border = edge;
  colour = b.colour;
  gl_Position = drawn(b) ? projection * view * vec4(world, 1.0) : nowhere;
}`;

const meshFragment = `#version 300 es
precision highp float;
in vec3 world, n, border;
in vec4 colour;
out vec4 seen;
uniform float flatness, edgeWidth;
uniform vec4 edgeColour;
${lightShader}
void main() {
  vec3 width = fwidth(border) * edgeWidth + 1e-9;
  vec3 near = smoothstep(width * 0.35, width, border);
  float edge = 1.0 - min(min(near.x, near.y), near.z);
  vec3 m = normalize(gl_FrontFacing ? n : -n);
  seen = flatness > 0.5 ? colour : shaded(world, m, colour);
  seen = mix(seen, vec4(edgeColour.rgb, max(seen.a, edgeColour.a)), edge * edgeColour.a);
  seen.rgb *= seen.a;
}`;

const shadowFragment = `#version 300 es
precision highp float;
void main() {}`;

// A ball is a square that faces the eye; every fragment meets the sphere exactly.
const ballVertex = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
layout(location = 1) in float body;
layout(location = 2) in float radius;
uniform mat4 view, projection;
uniform float parallel;   // 1: parallel rays
${stateShader}
out vec3 centre, ray;
out float r;
out vec4 colour, turn;
void main() {
  Body b = bodyAt(body);
  centre = (view * vec4(b.position, 1.0)).xyz;
  r = radius;
  colour = b.colour;
  turn = b.turn;
  vec3 back = parallel > 0.5 ? vec3(0.0, 0.0, 1.0) : normalize(-centre);
  float d = length(centre);
  float size = parallel > 0.5 ? r : r * d / sqrt(max(d * d - r * r, 1e-12 * d * d));
  vec3 right = normalize(cross(abs(back.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0), back));
  vec3 p = centre + size * 1.02 * (corner.x * right + corner.y * cross(back, right));
  ray = p;
  gl_Position = drawn(b) ? projection * vec4(p, 1.0) : nowhere;
}`;

const ballHit = `
in vec3 centre, ray;
in float r;
in vec4 colour, turn;
uniform mat4 projection;
uniform float parallel;
vec3 hit() {
  vec3 from = parallel > 0.5 ? vec3(ray.xy, 0.0) : vec3(0.0);
  vec3 along = parallel > 0.5 ? vec3(0.0, 0.0, -1.0) : normalize(ray);
  vec3 to = centre - from;
  float t = dot(to, along), h = r * r - dot(to - t * along, to - t * along);
  if (h < 0.0) discard;
  vec3 p = from + (t - sqrt(h)) * along;
  vec4 clip = projection * vec4(p, 1.0);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
  return p;
}
`;

const ballFragment = `#version 300 es
precision highp float;
out vec4 seen;
uniform mat4 view;
${ballHit}
${lightShader}
void main() {
  vec3 p = hit();
  mat3 back = transpose(mat3(view));
  vec3 n = back * ((p - centre) / r);
  vec3 world = back * (p - view[3].xyz);
  // A band about the body's z axis shows how it rolls.
  vec4 q = vec4(-turn.xyz, turn.w);
  vec3 own = n + 2.0 * cross(q.xyz, cross(q.xyz, n) + q.w * n);
  float width = fwidth(own.z);
  float band = 1.0 - smoothstep(0.16 - width, 0.16 + width, abs(own.z));
  seen = shaded(world, n, vec4(colour.rgb * (1.0 - 0.16 * band), colour.a));
  seen.rgb *= seen.a;
}`;

const ballShadow = `#version 300 es
precision highp float;
${ballHit}
void main() { hit(); }`;

// Force chains and arrows: ribbons that face the eye, shaded as cylinders.
const ribbonVertex = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;       // along −1, 1; across −1, 1
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec2 width;        // at both ends
layout(location = 4) in vec4 tint;
uniform mat4 view, projection;
uniform float parallel, least;             // least half width, per distance
out vec4 colour;
out float across;
void main() {
  vec3 a = (view * vec4(from, 1.0)).xyz, b = (view * vec4(to, 1.0)).xyz;
  vec3 p = corner.x < 0.0 ? a : b;
  vec3 eye = parallel > 0.5 ? vec3(0, 0, 1) : -p;
  vec3 side = cross(b - a, eye);
  side /= max(length(side), 1e-30);
  float w = corner.x < 0.0 ? width.x : width.y;
  float thin = least * (parallel > 0.5 ? 1.0 : length(p));
  colour = tint;
  if (w > 0.0 && w < thin) { colour.a *= max(w / thin, 0.15); w = thin; }
  across = corner.y;
  gl_Position = projection * vec4(p + side * w * corner.y, 1.0);
}`;

const ribbonFragment = `#version 300 es
precision highp float;
in vec4 colour;
in float across;
out vec4 seen;
uniform float flatness;
void main() {
  float light = flatness > 0.5 ? 1.0 : 0.62 + 0.38 * sqrt(1.0 - across * across);
  seen = vec4(colour.rgb * light * colour.a, colour.a);
}`;

const dotVertex = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 tint;
uniform mat4 view, projection;
uniform float size;
out vec4 colour;
void main() {
  gl_Position = projection * view * vec4(place, 1.0);
  gl_PointSize = size;
  colour = tint;
}`;

const dotFragment = `#version 300 es
precision highp float;
in vec4 colour;
out vec4 seen;
void main() {
  float d = length(gl_PointCoord - 0.5);
  float a = 1.0 - smoothstep(0.38, 0.5, d);
  if (a <= 0.0) discard;
  seen = vec4(colour.rgb * a * colour.a, a * colour.a);
}`;

// The plane of a half-space: a sheet with a grid that fades out.
const sheetVertex = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
uniform mat4 view, projection;
uniform vec3 foot, along, across;
uniform float reach, band;   // band: thickness below the line of a half-plane, 0 in space
out vec2 place;
out vec3 world;
void main() {
  place = corner * reach;
  if (band > 0.0) place.y = (corner.y * 0.5 - 0.5) * band;
  world = foot + along * place.x + across * place.y;
  gl_Position = projection * view * vec4(world, 1.0);
}`;

const sheetFragment = `#version 300 es
precision highp float;
in vec2 place;
in vec3 world;
out vec4 seen;
uniform vec3 normal;
uniform vec4 tint, lineColour;
uniform float reach, spacing, band;
uniform vec2 origin;
${lightShader}
void main() {
  if (band > 0.0) {
    float below = -place.y / band, top = 1.0 - smoothstep(0.5, 1.8, -place.y / fwidth(place.y));
    float a = max(tint.a * (1.0 - below) * (1.0 - below), top * 0.8);
    seen = vec4(mix(tint.rgb, lineColour.rgb, top), 1.0) * a;
    return;
  }
  float fade = 1.0 - smoothstep(0.35, 1.0, length(place) / reach);
  vec2 cell = (place + origin) / spacing, width = fwidth(cell);
  vec2 off = abs(fract(cell - 0.5) - 0.5);
  vec2 near = 1.0 - smoothstep(width * 0.2, width * 1.1, off);
  float line = max(near.x, near.y) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
  float dark = dot(eye - world, normal) > 0.0 ? 1.0 - lit(world, normal) : 0.0;
  vec4 c = mix(tint, lineColour, line * lineColour.a);
  c = vec4(mix(c.rgb, vec3(0.0), 0.55 * dark), max(c.a, 0.42 * dark));
  seen = vec4(c.rgb, 1.0) * c.a * fade;
}`;
