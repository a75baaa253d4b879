// What a page does when scripts run: theme, hover, heat map, questions about pairs, sorting, search.
// Names from files are only ever set as text.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const root = document.documentElement;

  const remembered = () => {
    try { return localStorage.getItem("truerank-theme"); } catch { return null; }
  };
  const chosen = remembered();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;

  const theme = () => {
    const button = $("#theme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
    const show = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Use the ${isDark() ? "light" : "dark"} theme`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("truerank-theme", root.dataset.theme); } catch { /* private window */ }
      show();
    });
    system.addEventListener("change", show);
    show();
    button.hidden = false;
  };

  const tip = {
    show(text, x, y) {
      const box = $("#tip");
      box.textContent = text;
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      const left = x + 16 + width > innerWidth ? x - 12 - width : x + 16;
      const top = y + 20 + height > innerHeight ? y - 12 - height : y + 20;
      box.style.transform = `translate(${Math.max(4, left)}px,${Math.max(4, top)}px)`;
    },
    hide() { $("#tip").hidden = true; },
  };

  // A row of a chart is one described shape in each panel, in the same order in all of them.
  const hover = (chart) => {
    const described = $$("[data-about]", chart);
    const alike = new Map();
    for (const shape of described) {
      const key = shape.dataset.about;
      if (!alike.has(key)) alike.set(key, []);
      alike.get(key).push(shape);
    }
    let lit = [];
    const light = (shapes) => {
      for (const shape of lit) shape.classList.remove("on");
      lit = shapes;
      for (const shape of lit) shape.classList.add("on");
    };
    const move = (event) => {
      const shape = event.target.closest("[data-about]");
      if (!shape) return leave();
      light(alike.get(shape.dataset.about));
      tip.show(shape.dataset.about.replaceAll(" · ", "\n"), event.clientX, event.clientY);
    };
    const leave = () => { light([]); tip.hide(); };
    if (!described.length) return;
    chart.addEventListener("pointermove", move);
    chart.addEventListener("pointerdown", move);
    chart.addEventListener("pointerleave", leave);
  };

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const place = (data, a, b) => {
    const [i, j] = a < b ? [a, b] : [b, a];
    return i * data.systems.length - (i * (i + 1)) / 2 + (j - i - 1);
  };
  const pairs = (data) => {
    const view = new DataView(bytes(data.swaps).buffer);
    return (a, b) => view.getUint16(2 * place(data, a, b), true) / data.steps;
  };
  const separate = (data) => {
    const bits = bytes(data.apart);
    return (a, b) => {
      const at = place(data, a, b);
      return ((bits[at >> 3] >> (at & 7)) & 1) === 1; // false of none
    };
  };
  const alike = (data) => {
    const group = new Map(data.identical.flatMap((systems, g) => systems.map((s) => [s, g])));
    return (a, b) => group.has(a) && group.get(a) === group.get(b);
  };
  const percent = (p) => {
    if (p < 0.001) return "<0.1%";
    if (p > 0.999) return ">99.9%";
    return `${(100 * p).toFixed(1)}%`;
  };

  const heat = (chart, data, swapped, same, ask) => {
    const apart = separate(data);
    const image = $("image", chart);
    if (!image) return;
    const m = data.systems.length;
    const cell = document.createElement("div");
    cell.className = "cell";
    cell.hidden = true;
    chart.append(cell);
    const place = (event) => {
      const box = image.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * m);
      const row = Math.floor(((event.clientY - box.top) / box.height) * m);
      return column >= 0 && column < m && row >= 0 && row < m ? { row, column, box } : null;
    };
    const leave = () => { cell.hidden = true; tip.hide(); };
    const move = (event) => {
      const at = place(event);
      if (!at) return leave();
      const { row, column, box } = at;
      const from = chart.getBoundingClientRect();
      const [width, height] = [box.width / m, box.height / m];
      Object.assign(cell.style, {
        left: `${box.left - from.left + chart.scrollLeft + column * width - 1}px`,
        top: `${box.top - from.top + row * height - 1}px`,
        width: `${width + 2}px`,
        height: `${height + 2}px`,
      });
      cell.hidden = false;
      const [above, below] = row < column ? [row, column] : [column, row];
      const name = (s) => `${s + 1}. ${data.systems[s]}`;
      const said = same(above, below) ? "identical scores" : `wrong order: ${percent(swapped(above, below))}${apart(above, below) ? ", separated" : ""}`;
      tip.show(
        row === column ? name(row) : `${name(above)}\nabove ${name(below)}\n${said}`,
        event.clientX,
        event.clientY,
      );
    };
    chart.addEventListener("pointermove", move);
    chart.addEventListener("pointerdown", move);
    chart.addEventListener("pointerleave", leave);
    chart.addEventListener("click", (event) => {
      const at = place(event);
      if (at && at.row !== at.column) ask(Math.min(at.row, at.column), Math.max(at.row, at.column));
    });
  };

  const question = (form, data, swapped, same, apart) => {
    const [[a, b], said] = [$$("select", form), $("output", form)];
    for (const select of [a, b]) {
      data.systems.forEach((name, s) => select.append(new Option(`${s + 1}. ${name}`, s)));
    }
    const tell = () => {
      const [i, j] = [Number(a.value), Number(b.value)];
      if (i === j) { said.textContent = "Choose two different systems."; return; }
      if (same(i, j)) {
        said.textContent = `${data.systems[i]} and ${data.systems[j]} have identical scores.`;
        return;
      }
      const right = i < j ? 1 - swapped(i, j) : swapped(i, j);
      const together = data.apart ? ` Among all systems: ${apart(i, j) ? "separated" : "their rank ranges overlap"}.` : "";
      said.textContent = `This pair alone: ${data.systems[i]} is better than ${data.systems[j]} with ${percent(right)} probability.${together}`;
    };
    const ask = (i, j) => { a.value = i; b.value = j; tell(); };
    a.addEventListener("change", tell);
    b.addEventListener("change", tell);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    ask(0, 1);
    return ask;
  };

  const order = (a, b) => {
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, undefined, { numeric: true }) : x - y;
  };

  const table = (holder) => {
    const body = $("tbody", holder);
    const rows = [...body.rows];
    const heads = $$("thead th", holder);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => row.cells[column].dataset.v;
        const sorted = [...rows].sort((r, s) => {
          const [a, b] = [value(r), value(s)];
          return a === undefined || b === undefined || !down ? order(a, b) : order(b, a);
        });
        body.append(...sorted);
      });
    });
    const label = $(".search", holder);
    if (!label) return;
    label.hidden = false;
    const input = $("input", label);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLocaleLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !$("th", row).textContent.toLocaleLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      $(".found", holder).textContent = wanted ? `${shown} of ${rows.length}` : "";
    });
  };

  const columns = (holder) => {
    const box = $(".more-switch input", holder);
    if (box) box.addEventListener("change", () => holder.classList.toggle("all", box.checked));
  };

  // What an address points to may be folded away.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    const folded = target && target.querySelector(":scope > details");
    if (folded) folded.open = true;
  };

  // Marks the edges beyond which a table, a formula or the menu goes on.
  const edges = (holder) => {
    const inner = holder.firstElementChild;
    const show = () => {
      const left = inner.scrollLeft;
      holder.classList.toggle("before", left > 2);
      holder.classList.toggle("after", left + inner.clientWidth < inner.scrollWidth - 2);
      holder.classList.toggle("below", inner.scrollTop + inner.clientHeight < inner.scrollHeight - 2);
    };
    inner.addEventListener("scroll", show, { passive: true });
    new ResizeObserver(show).observe(inner);
    show();
  };

  // Several measures: one at a time is shown, and the one that an address points into.
  const views = () => {
    const [all, menus, buttons] = [$$(".view"), $$(".menu"), $$(".switch button")];
    if (!buttons.length) return;
    const show = (shown) => {
      [all, menus].forEach((list) => list.forEach((one, place) => { one.hidden = place !== shown; }));
      buttons.forEach((one, place) => one.setAttribute("aria-pressed", place === shown));
    };
    const follow = () => {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const view = target && target.closest(".view");
      if (!view) return;
      show(all.indexOf(view));
      target.scrollIntoView();
    };
    buttons.forEach((one, place) => one.addEventListener("click", () => show(place)));
    addEventListener("hashchange", follow);
    $(".switch").hidden = false;
    show(0);
    follow();
  };

  const swaps = (view, data) => {
    const swapped = pairs(data);
    const same = alike(data);
    const ask = question($("form.ask", view), data, swapped, same, separate(data));
    $$("figure[id$=swap-probabilities-figure] .chart", view).forEach((chart) => heat(chart, data, swapped, same, ask));
  };

  document.addEventListener("DOMContentLoaded", () => {
    theme();
    views();
    $$(".chart").forEach(hover);
    $$(".table").forEach((holder) => { table(holder); columns(holder); });
    addEventListener("hashchange", unfold);
    unfold();
    $$(".cut").forEach(edges);
    const data = JSON.parse($("#data").textContent);
    $$(".view").forEach((view, place) => { if (data[place].swaps) swaps(view, data[place]); });
  });
})();
