// Elements from names and texts. Texts are always set as text: a name is never read as HTML.

type Content = string | Node | null | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | boolean | ((event: Event) => void)> = {}, ...content: Content[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (typeof value === "boolean") { if (value) node.setAttribute(key, ""); }
    else node.setAttribute(key, value);
  }
  for (const item of content) if (item) node.append(item);
  return node;
}

const PATHS: Record<string, string> = {
  play: "M3 1.5v11l9-5.5z",
  pause: "M2.5 1.5h3v11h-3zM8.5 1.5h3v11h-3z",
  back: "M3 1.5h2v11H3zM12 1.5v11L5.5 7z",
  forward: "M9 1.5h2v11H9zM2 1.5v11L8.5 7z",
  start: "M1.5 1.5h2v11h-2zM8 1.5v11L3.5 7zM13 1.5v11L8.5 7z",
  loop: "M10 0l3 2.5L10 5V3.4H4.2A2.2 2.2 0 0 0 2 5.6V7H.4V5.6A3.8 3.8 0 0 1 4.2 1.8H10zM4 14l-3-2.5L4 9v1.6h5.8A2.2 2.2 0 0 0 12 8.4V7h1.6v1.4a3.8 3.8 0 0 1-3.8 3.8H4z",
  panel: "M1 2h12v10H1zM8.5 3.2v7.6h3.3V3.2z",
  theme: "M7 1a6 6 0 1 0 6 6 4.6 4.6 0 0 1-6-6z",
  fit: "M1 1h4v1.6H2.6V5H1zM9 1h4v4h-1.6V2.6H9zM1 9h1.6v2.4H5V13H1zM11.4 9H13v4H9v-1.6h2.4z",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export function iconButton(name: string, title: string, action: () => void, kind = ""): HTMLButtonElement {
  return el("button", { type: "button", title, "aria-label": title, class: kind, click: action }, icon(name));
}
