// Every piece of text whose contrast with its background is below arguments[0]: [text, ratio].
const least = arguments[0];
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

const rgba = (colour) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};

const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = rgba(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
    if (colour[3] !== 0) throw new Error("half transparent background");
  }
  return rgba("Canvas");
};

const luminance = ([r, g, b]) => {
  const [R, G, B] = [r, g, b].map((v) => v / 255).map(
    (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * R + 0.7152 * G + 0.0722 * B;
};

const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = { checked: 0, low: [] };
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim();
  const element = walker.currentNode.parentElement;
  if (!text || ["SCRIPT", "STYLE", "title", "desc"].includes(element.tagName)) continue;
  if (!element.checkVisibility({ visibilityProperty: true })) continue;
  const style = getComputedStyle(element);
  const ink = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
  const [a, b] = [luminance(rgba(ink)), luminance(behind(element))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  found.checked += 1;
  if (ratio < least) found.low.push([text, ratio]);
}
return found;
