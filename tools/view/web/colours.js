// Colours, as three numbers from 0 to 1.

const fromHex = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
const toHex = (c) => "#" + c.map((v) => Math.round(255 * Math.min(1, Math.max(0, v))).toString(16).padStart(2, "0")).join("");

// Even steps of lightness: dark blue over green to yellow (after viridis, lighter at its foot), and blue over grey to red.
const sequential = ["#5b5ea6", "#4d80b8", "#43a3ad", "#6bbf86", "#b3d35f", "#f5df4d"].map(fromHex);
const diverging = ["#2c5fa8", "#7fa6d4", "#c9cdd2", "#dc9a83", "#b3392f"].map(fromHex);
const heat = { light: ["#d9c7a0", "#e8963c", "#cf3f2e", "#7d1128"].map(fromHex), dark: ["#5a4a44", "#b4552d", "#f59f3b", "#fff2b0"].map(fromHex) };
const categories = ["#c7b299", "#6f9bbd", "#c1846a", "#84a97c", "#a68cbd", "#d0ae4a", "#6eb0a9", "#c27f9a"].map(fromHex);

function mapped(map, x) {  // x from 0 to 1
  const s = Math.min(1, Math.max(0, x || 0)) * (map.length - 1), k = Math.min(map.length - 2, Math.floor(s)), f = s - k;
  return [0, 1, 2].map((c) => map[k][c] * (1 - f) + map[k + 1][c] * f);
}

// Colours of one lightness for numbered things: OKLCH with steps of the golden angle (Ottosson, 2020).
function numbered(i) {
  const hue = i * 2.399963, L = 0.72 + 0.08 * ((i * 7) % 5 - 2) / 2, a = 0.085 * Math.cos(hue), b = 0.085 * Math.sin(hue);
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3, m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3, s = (L - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s];
  return linear.map((v) => { v = Math.min(1, Math.max(0, v)); return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055; });
}

const gradient = (map) => `linear-gradient(90deg, ${map.map(toHex).join(", ")})`;
