// Colours and materials, for a light and a dark page.
import { Color, DoubleSide, FrontSide, MeshStandardMaterial } from "three";

export const palette = [
  "#4f83cc",
  "#e08a3c",
  "#4fa37a",
  "#b05c9c",
  "#c7a93b",
  "#5aa9b8",
  "#cf6363",
  "#7f78c9",
  "#8a9a5b",
  "#a9795f",
];

const named: Record<string, string> = {
  white: "#f4f4f2",
  silver: "#c4c9cf",
  grey: "#8b9097",
  black: "#2b2d30",
  red: "#c94a45",
  orange: "#e08a3c",
  yellow: "#e0c341",
  green: "#4f9d69",
  teal: "#3f9c9a",
  blue: "#3f76c2",
  purple: "#7d63b8",
  pink: "#d984a9",
  brown: "#8a6a4f",
  gold: "#cfa43a",
  steel: "#8fa1b3",
};

export function colourOf(text: string | undefined, fallback: string): string {
  if (!text) return fallback;
  return named[text] ?? text;
}

export function material(colour: string, opacity = 1): MeshStandardMaterial {
  return new MeshStandardMaterial({
    color: new Color(colour),
    roughness: 0.55,
    metalness: 0.12,
    transparent: opacity < 1,
    opacity,
    depthWrite: opacity >= 0.6,
    side: opacity < 1 ? DoubleSide : FrontSide,
  });
}

export interface Theme {
  background: string;
  grid: string;
  gridStrong: string;
  ground: string;
  road: string;
  metal: string;
  dark: string;
  trail: string;
  force: string;
  moment: string;
  contact: string;
  friction: string;
  hemisphere: [string, string, number];
  sun: number;
}

export const themes: Record<"light" | "dark", Theme> = {
  light: {
    background: "#f3f5f8",
    grid: "#dde2e9",
    gridStrong: "#c3cbd6",
    ground: "#9aa3ae",
    road: "#c9ced6",
    metal: "#aeb6c0",
    dark: "#4a515a",
    trail: "#d1495b",
    force: "#d1495b",
    moment: "#2e86ab",
    contact: "#2f9e57",
    friction: "#e08a00",
    hemisphere: ["#ffffff", "#b9c0ca", 1.5],
    sun: 2.0,
  },
  dark: {
    background: "#171a1f",
    grid: "#262b33",
    gridStrong: "#39414d",
    ground: "#66707d",
    road: "#3a414b",
    metal: "#9aa4b1",
    dark: "#7b8693",
    trail: "#ff8a7a",
    force: "#ff7b6b",
    moment: "#5bc0eb",
    contact: "#5fd38d",
    friction: "#ffb84d",
    hemisphere: ["#dfe7f5", "#20242b", 1.2],
    sun: 1.8,
  },
};

/** Blue to white to red, for x from -1 to 1; or white to red for 0 to 1. */
export function heat(x: number, out: Color): Color {
  const stops = [
    [0.0, 0.24, 0.42, 0.69],
    [0.35, 0.35, 0.72, 0.72],
    [0.6, 0.95, 0.85, 0.45],
    [1.0, 0.82, 0.22, 0.2],
  ];
  const t = Math.min(1, Math.max(0, x));
  let k = 0;
  while (k < stops.length - 2 && t > stops[k + 1][0]) k++;
  const f = (t - stops[k][0]) / (stops[k + 1][0] - stops[k][0]);
  const mix = (j: number) => stops[k][j] + f * (stops[k + 1][j] - stops[k][j]);
  return out.setRGB(mix(1), mix(2), mix(3), "srgb");
}
