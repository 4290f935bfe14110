// Charts: Vega-Lite drawn as SVG. All colours are given as CSS, so that a chart follows light, dark
// and print without being drawn again; expressions are interpreted, so that no eval is needed.
const chartConfig = () => {
  const font = getComputedStyle(document.body).fontFamily;
  return {
    background: null,
    font,
    view: { stroke: null },
    axis: {
      labelColor: "var(--soft)", titleColor: "var(--text)", gridColor: "var(--rule)",
      domainColor: "var(--soft)", tickColor: "var(--soft)", gridWidth: 0.7,
      labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: "normal", titlePadding: 8,
      labelOverlap: "greedy", labelFlush: false, labelLimit: 140, tickCount: 6,
    },
    legend: {
      labelColor: "var(--text)", labelFontSize: 12.5, labelLimit: 220, symbolStrokeWidth: 3,
      symbolSize: 260, columnPadding: 14, rowPadding: 4, offset: 10,
    },
    text: { color: "var(--text)", fontSize: 12 },
  };
};
const themed = (key, value) => (typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value)
  ? `color-mix(in oklab, ${value}, white var(--lift))` : value);

const drawing = [...document.querySelectorAll(".chart")].map((place) => {
  const spec = JSON.parse(place.nextElementSibling.textContent, themed);
  return vegaEmbed(place, spec, {
    mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
    config: chartConfig(), tooltip: { theme: "page", disableDefaultStyle: true },
  }).then(
    ({ view }) => {
      view.addEventListener("click", (event, item) => {
        if (item && item.datum && item.datum.cell) location.hash = item.datum.cell;
      });
      place.dataset.state = "drawn";
    },
    (error) => {
      place.dataset.state = "failed";
      place.textContent = `This chart cannot be drawn in this browser (${error.message}); its picture and its values are in the files below.`;
    },
  );
});
// Charts move what is below them: what the address names is looked for once more.
if (location.hash) Promise.all(drawing).then(unfold);
