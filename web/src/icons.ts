// Signs of buttons, drawn by lines: fonts do not have them everywhere.

const paths = {
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  film: "M3 6h12v12H3zM15 10l6-3v10l-6-3z",
  dark: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 4v16M13.5 8v8M15 6v12M17 8v8",
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18h.01",
};

export function icon(name: keyof typeof paths): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }))
    svg.setAttribute(key, value);
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}
