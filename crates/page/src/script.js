// Adds to charts that say everything without it: figures under the pointer (from the table behind each chart)
// and zoom into time. Plain code, no library, no request.
(() => {
  "use strict";
  const NAMES = "http://www.w3.org/2000/svg";
  const draw = (parent, name, attributes) => {
    const element = document.createElementNS(NAMES, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return parent.appendChild(element);
  };
  const button = (text, act) => {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    element.addEventListener("click", act);
    return element;
  };
  const clock = (seconds, whole) => {
    if (whole <= 120) return String(Math.round(seconds * 1000) / 1000);
    const all = Math.round(seconds), two = (n) => String(n).padStart(2, "0");
    const [h, m, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
    return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  };
  const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200];
  const step = (seconds) => {
    const rough = seconds / 6;
    if (rough > 1) return STEPS.find((s) => s >= rough) || rough;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough * 0.999);
  };

  // Tables of hosts: a click on a column's name sorts, and a field above searches.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], rows = [...body.rows];
    const value = (row, place) => {
      const cell = row.cells[place], exact = cell && cell.querySelector("data");
      return exact ? Number(exact.value) : cell ? cell.textContent : "";
    };
    const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const text = head.textContent;
      head.textContent = "";
      head.append(button(text, () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        rows.sort((a, b) => (up ? 1 : -1) * order(value(a, place), value(b, place)));
        body.append(...rows);
      }));
    });
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "search";
    field.setAttribute("aria-label", `Search in: ${table.caption.textContent}`);
    field.addEventListener("input", () => {
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(field.value.toLowerCase());
    });
    table.parentNode.before(field);
  }

  const charts = [];
  for (const figure of document.querySelectorAll("figure.chart")) {
    const svg = figure.querySelector(".plot > svg"), area = svg.querySelector(".area");
    const head = [...figure.querySelectorAll("thead th")].map((cell) => cell.textContent);
    const rows = [...figure.querySelectorAll("tbody tr")].map((row) => ({
      at: Number(row.dataset.at), cells: [...row.cells].map((cell) => cell.textContent) }));
    const seconds = Number(figure.dataset.seconds) || 0;
    const chart = { figure, svg, area, head, rows, seconds, from: 0, to: 1, at: -1 };
    // The title would show as a tip of the browser's own, above the figures.
    const title = svg.querySelector("title"), text = svg.querySelector("desc");
    svg.setAttribute("aria-label", `${title.textContent}. ${text.textContent}`);
    svg.removeAttribute("aria-labelledby");
    title.remove();
    svg.setAttribute("tabindex", "0");
    charts.push(chart);
    prepare(chart);
  }

  function prepare(chart) {
    const { figure, svg } = chart;
    // Where rows lie below each other the pointer's height counts.
    const rows = figure.classList.contains("rows");
    const [along, across] = rows ? ["y", "x"] : ["x", "y"];
    const cross = draw(svg, "line", { class: "cross", [`${across}1`]: 0, [`${across}2`]: "100%", visibility: "hidden" });
    const chosen = draw(svg, "rect", { class: "chosen", y: 0, height: "100%", width: 0, visibility: "hidden" });
    const tip = figure.appendChild(document.createElement("div"));
    tip.className = "tip";
    tip.hidden = true;
    tip.setAttribute("role", "status");
    const share = (event) => {
      const box = svg.getBoundingClientRect();
      const part = rows ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
      return Math.min(1, Math.max(0, part));
    };
    const whole = (part) => chart.from + part * (chart.to - chart.from);
    const hide = () => {
      tip.hidden = true;
      cross.setAttribute("visibility", "hidden");
    };
    const show = (number) => {
      const row = chart.rows[number];
      if (!row) return hide();
      chart.at = number;
      const part = (row.at - chart.from) / (chart.to - chart.from);
      for (const end of [1, 2]) cross.setAttribute(along + end, `${part * 100}%`);
      cross.setAttribute("visibility", part < 0 || part > 1 ? "hidden" : "visible");
      tip.replaceChildren();
      const name = tip.appendChild(document.createElement("b"));
      name.textContent = `${chart.head[0]} ${row.cells[0]}`;
      row.cells.slice(1).forEach((cell, place) => {
        if (!cell) return;
        const line = tip.appendChild(document.createElement("span"));
        for (const text of [chart.head[place + 1], cell]) {
          line.appendChild(document.createElement("i")).textContent = text;
        }
      });
      tip.hidden = false;
      const box = svg.getBoundingClientRect(), around = figure.getBoundingClientRect();
      const x = box.left - around.left + (rows ? 0.5 : part) * box.width;
      const left = x + 14 + tip.offsetWidth > around.width ? x - 14 - tip.offsetWidth : x + 14;
      tip.style.left = `${Math.max(4, left)}px`;
      tip.style.top = `${box.top - around.top + 4 + (rows ? part * box.height : 0)}px`;
    };
    const nearest = (at) => {
      let best = -1;
      chart.rows.forEach((row, number) => {
        if (best < 0 || Math.abs(row.at - at) < Math.abs(chart.rows[best].at - at)) best = number;
      });
      return best;
    };
    let begin = null;
    svg.addEventListener("pointermove", (event) => {
      show(nearest(whole(share(event))));
      if (begin === null) return;
      const [low, high] = [begin, share(event)].sort((a, b) => a - b);
      chosen.setAttribute("x", `${low * 100}%`);
      chosen.setAttribute("width", `${(high - low) * 100}%`);
      chosen.setAttribute("visibility", "visible");
    });
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("pointerdown", (event) => {
      if (!chart.seconds || event.pointerType === "touch") return;
      begin = share(event);
      event.preventDefault();
    });
    // The pointer may have left the chart by then.
    addEventListener("pointerup", (event) => {
      if (begin === null) return;
      const [low, high] = [begin, share(event)].sort((a, b) => a - b);
      begin = null;
      chosen.setAttribute("visibility", "hidden");
      if (high - low > 0.02) zoom(chart, whole(low), whole(high));
    });
    svg.addEventListener("dblclick", () => zoom(chart, 0, 1));
    svg.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: 1, ArrowLeft: -1 };
      if (event.key in moves) {
        show(Math.min(chart.rows.length - 1, Math.max(0, chart.at + moves[event.key])));
        event.preventDefault();
      } else if (event.key === "Escape") {
        hide();
        zoom(chart, 0, 1);
      }
    });
  }

  // All charts over the same time go together.
  function zoom(chart, from, to) {
    if (!chart.seconds) return;
    const family = chart.figure.id.replace(/-[a-z]+$/, "-");
    for (const other of charts) {
      if (other.seconds && other.figure.id.startsWith(family)) apply(other, from, to);
    }
  }

  function apply(chart, from, to) {
    [chart.from, chart.to] = [from, to];
    const zoomed = from > 0 || to < 1;
    chart.figure.classList.toggle("zoomed", zoomed);
    chart.area.setAttribute("viewBox", `${from * 1000} 0 ${(to - from) * 1000} 1000`);
    const axis = chart.svg.querySelector("g.x");
    chart.ticks ??= [...axis.childNodes];
    axis.replaceChildren(...(zoomed ? [] : chart.ticks));
    if (zoomed) {
      const width = step((to - from) * chart.seconds);
      for (let n = Math.ceil((from * chart.seconds) / width); n * width <= to * chart.seconds; n++) {
        const at = ((n * width) / chart.seconds - from) / (to - from);
        draw(axis, "text", { x: `${at * 100}%`, y: "100%", dy: 18 }).textContent = clock(n * width, chart.seconds);
      }
    }
    for (const number of chart.svg.querySelectorAll(".marks text")) {
      number.dataset.at ??= parseFloat(number.getAttribute("x")) / 100;
      const at = (Number(number.dataset.at) - from) / (to - from);
      number.setAttribute("x", `${at * 100}%`);
      number.setAttribute("visibility", at < 0 || at > 1 ? "hidden" : "visible");
    }
    chart.back?.remove();
    chart.back = zoomed ? chart.figure.appendChild(button("All of it", () => zoom(chart, 0, 1))) : null;
  }

  for (const command of document.querySelectorAll(".command")) {
    if (!navigator.clipboard) break;
    const copy = button("Copy", async () => {
      await navigator.clipboard.writeText(command.querySelector("code").textContent);
      copy.textContent = "Copied";
    });
    command.appendChild(copy);
  }
})();
