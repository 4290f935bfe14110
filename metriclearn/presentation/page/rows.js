// The rows behind a cell: pressed, it shows the mean of each repetition and what was chosen.
const rowsDialog = document.getElementById("rows");

const element = (tag, text, ...children) => {
  const made = document.createElement(tag);
  made.append(text, ...children);
  return made;
};

const rowsTable = (editions) => {
  const table = document.createElement("table");
  const head = [editions[0].unit, ...editions.map((one) => `${one.name} (%)`)];
  table.createTHead().append(element("tr", "", ...head.map((text) => element("th", text))));
  const body = table.createTBody();
  const numbers = [...new Set(editions.flatMap((one) => one.parts.map(([number]) => number)))];
  for (const number of numbers) {
    const row = body.insertRow();
    row.append(element("th", String(number + 1)));
    for (const one of editions) {
      const found = one.parts.find(([other]) => other === number);
      row.append(element("td", found ? found[1].toFixed(2) : ""));
    }
  }
  return table;
};

const showRows = (cell, section) => {
  const { name, paper, editions } = JSON.parse(section.querySelector("script.rows").textContent)[cell];
  document.getElementById("rows-title").textContent = name;
  const words = editions.filter((one) => one.value).map((one) => element("p",
    `${one.name}: ${one.value}${one.verdict ? ` (${one.verdict})` : ""}`));
  if (paper) words.push(element("p", `paper: ${paper}`));
  const known = editions.filter((one) => one.parts);
  for (const one of known.filter((other) => other.chosen.length)) {
    const counts = one.chosen.map(([text, count]) => `${text} (${count} of ${one.folds} folds)`);
    words.push(element("p", `chosen most often, ${one.name}: ${counts.join("; ")}`));
  }
  const files = section.querySelector(".rows-files");
  if (files) words.push(files.cloneNode(true));
  document.getElementById("rows-text").replaceChildren(...words, rowsTable(known));
  rowsDialog.showModal();
};

for (const button of document.querySelectorAll("button.open")) {
  button.addEventListener("click", () => {
    showRows(button.parentElement.id, button.closest(".scroll").parentElement);
  });
}
rowsDialog.addEventListener("click", (event) => { if (event.target === rowsDialog) rowsDialog.close(); });
