// Charts say the value of the point nearest to the pointer, or of the one chosen by arrow keys.
for (const plot of document.querySelectorAll(".plot")) {
  const svg = plot.querySelector("svg");
  const tip = plot.querySelector(".tip");
  const ring = plot.querySelector(".ring");
  const { bars, series } = JSON.parse(plot.querySelector("script").textContent);
  let at = null;

  const show = (s, p) => {
    at = [s, p];
    const [x, y, text] = series[s].points[p];
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    ring.classList.add("on");
    tip.textContent = `${series[s].name} · ${text}`;
    tip.hidden = false;
    const place = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    const box = plot.getBoundingClientRect();
    const left = Math.min(place.x - box.left + 12, plot.clientWidth - tip.offsetWidth - 2);
    const above = place.y - box.top - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(0, left) + plot.scrollLeft}px`;
    tip.style.top = `${above >= 0 ? above : place.y - box.top + 14}px`;
  };

  const hide = () => {
    at = null;
    tip.hidden = true;
    ring.classList.remove("on");
  };

  const nearest = (event) => {
    const mouse = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null;
    let least = Infinity;
    series.forEach(({ points }, s) => points.forEach(([x, y], p) => {
      const far = bars ? Math.abs(x - mouse.x) : Math.hypot(x - mouse.x, y - mouse.y);
      if (far < least) [least, best] = [far, [s, p]];
    }));
    if (best) show(...best);
  };

  const step = (event) => {
    const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (event.key === "Escape") hide();
    if (!move) return;
    event.preventDefault();
    if (!at) return show(0, 0);
    const s = (at[0] + move[0] + series.length) % series.length;
    const last = series[s].points.length - 1;
    show(s, Math.max(0, Math.min(last, at[1] + move[1])));
  };

  svg.addEventListener("pointermove", nearest);
  svg.addEventListener("pointerdown", nearest);
  svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
  plot.addEventListener("keydown", step);
  plot.addEventListener("focus", () => { if (!at && plot.matches(":focus-visible")) show(0, 0); });
  plot.addEventListener("blur", hide);
}
