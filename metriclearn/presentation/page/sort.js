// Tables sort by any column: up, down on the second press. Cells without a value stay last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const first = [...body.rows];
  const chooser = table.closest("section").querySelector(".sortkey");
  const words = new Intl.Collator("en", { numeric: true });

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (!heads[column].classList.contains("number")) return cell.textContent.trim() || null;
    const key = chooser ? chooser.value : "ours";
    const text = cell.dataset[key];
    return text === undefined ? null : Number(text);
  };

  const sort = (column, direction) => {
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = first.map((row) => [valueOf(row, column), row]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === "number" ? a - b : words.compare(a, b));
    });
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === column ? direction : "none"));
    body.append(...keyed.map(([, row]) => row));
  };

  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      sort(column, head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending");
    });
  });
  if (chooser) {
    chooser.addEventListener("change", () => {
      const column = heads.findIndex((head) => head.getAttribute("aria-sort") !== "none");
      if (column >= 0) sort(column, heads[column].getAttribute("aria-sort"));
    });
  }
}
