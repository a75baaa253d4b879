// Tables sort by a click on a heading and show more columns; a pair can be looked up. All else is plain HTML.
for (const label of document.querySelectorAll("label.all")) {
  const table = label.closest(".table");
  label.hidden = false;
  label.firstChild.addEventListener("change", (event) => table.classList.toggle("wide", event.target.checked));
}
for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button"), body = head.closest("table").tBodies[0];
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const up = head.ariaSort !== "ascending", of = (row) => row.cells[head.cellIndex].dataset.v;
    const compare = (a, b) => (isNaN(a) || isNaN(b) ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
    for (const other of head.parentNode.cells) other.ariaSort = null;
    head.ariaSort = up ? "ascending" : "descending";
    const rows = [...body.rows], known = rows.filter((row) => of(row) !== undefined);
    known.sort((a, b) => (up ? 1 : -1) * compare(of(a), of(b)));
    body.append(...known, ...rows.filter((row) => of(row) === undefined));
  });
}
for (const form of document.querySelectorAll(".ask")) {
  const [a, b] = form.querySelectorAll("select"), wrong = JSON.parse(form.dataset.wrong), m = a.options.length;
  const answer = () => {
    const [high, low] = [a.selectedIndex, b.selectedIndex].sort((x, y) => x - y);
    const place = high * m - (high * (high + 1)) / 2 + low - high - 1, p = wrong[place] / 10;
    const right = a.selectedIndex < b.selectedIndex ? 100 - p : p;
    const shown = right > 99.9 ? "more than 99.9" : right < 0.1 ? "less than 0.1" : right.toFixed(1);
    const together = form.dataset.separated[place] === "1" ? "the two are separated" : "their rank ranges overlap";
    form.querySelector("output").value = high === low ? "Choose two systems."
      : `With ${shown}% probability. Among all systems, ${together} at ${form.dataset.level}.`;
  };
  form.hidden = false;
  form.addEventListener("change", answer);
  answer();
}
