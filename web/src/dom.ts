// Elements made by hand. Texts are always set as text: names of a model are never read as HTML.

type Attributes = Record<string, string | boolean | ((e: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(key, value);
    else if (typeof value === "boolean") e.toggleAttribute(key, value);
    else e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}

/** Control characters of names made visible. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]/g, (c) =>
    c === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0)),
  );
}
