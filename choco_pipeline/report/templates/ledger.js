"use strict";
// The filters and the order of the ledger. The address stores both: #ledger?verdict=refuted&sort=positions.
(() => {
  const form = document.getElementById("filters"), table = document.querySelector("table.ledger");
  if (!form) return;
  const shown = document.getElementById("shown"), heads = [...table.tHead.querySelectorAll("[data-sort]")];
  // Readers type x-1 and <=; statements have (x−1) and ≤.
  const typed = (text) => text.toLowerCase().replace(/\u2062/g, "").replace(/[−–]/g, "-").replaceAll("⊕", "^").replaceAll("≤", "<=").replaceAll("≥", ">=");
  const worst = [...form.querySelectorAll("[name=verdict]")].map((box) => box.value);
  const groups = [...table.tBodies];
  const rows = [...table.querySelectorAll(".claim-row")].map((row, i) => ({
    row, group: row.parentElement, text: typed([row.textContent, row.dataset.status, row.id.slice(4)].join(" ")),
    values: {order: i, rank: worst.indexOf(row.dataset.verdict), bound: Number(row.dataset.bound),
      positions: Number(row.dataset.positions), seconds: Number(row.dataset.seconds)},
  }));
  const plain = document.createElement("tbody");
  let order = {key: "order", down: false};

  const filter = () => {
    const wanted = new FormData(form), verdicts = wanted.getAll("verdict");
    const words = typed(wanted.get("q")).split(/\s+/).filter(Boolean);
    const fits = ({row, text}) =>
      (!wanted.get("paper") || row.dataset.paper === wanted.get("paper")) &&
      (!wanted.get("status") || row.dataset.status === wanted.get("status")) &&
      (!verdicts.length || verdicts.includes(row.dataset.verdict)) && words.every((word) => text.includes(word));
    let number = 0;
    for (const one of rows) number += (one.row.hidden = !fits(one)) ? 0 : 1;
    for (const group of groups) group.hidden = !group.querySelector(".claim-row:not([hidden])");
    const all = rows.length === 1 ? "1 claim" : `${rows.length} claims`;
    shown.textContent = number === rows.length ? all : `${number} of ${all}`;
  };

  const sort = () => {
    const {key, down} = order, grouped = key === "order" && !down;
    const sign = down ? -1 : 1;
    const sorted = [...rows].sort((a, b) => sign * (a.values[key] - b.values[key]) || a.values.order - b.values.order);
    for (const {row, group} of sorted) (grouped ? group : plain).append(row);
    table.classList.toggle("sorted", !grouped);
    if (grouped) plain.remove(); else table.append(plain);
    for (const head of heads) {
      if (head.dataset.sort === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  };

  const remember = () => {
    const kept = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) kept.append(name, value);
    if (order.key !== "order" || order.down) kept.set("sort", (order.down ? "-" : "") + order.key);
    history.replaceState(null, "", String(kept) ? `#ledger?${kept}` : "#ledger");
  };
  const changed = () => { filter(); sort(); filter(); remember(); };

  const recall = () => {
    if (!location.hash.startsWith("#ledger?")) return;
    const kept = new URLSearchParams(location.hash.slice("#ledger?".length)), verdicts = kept.getAll("verdict");
    for (const box of form.querySelectorAll("[name=verdict]")) box.checked = verdicts.includes(box.value);
    for (const name of ["q", "paper", "status"]) form.elements[name].value = kept.get(name) || "";
    for (const select of form.querySelectorAll("select")) if (select.selectedIndex < 0) select.value = "";
    const asked = kept.get("sort") || "order", key = asked.replace(/^-/, "");
    order = {key: heads.some((head) => head.dataset.sort === key) ? key : "order", down: asked.startsWith("-")};
    sort();
    filter();
    document.getElementById("ledger").scrollIntoView();
  };

  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const key = head.dataset.sort, first = ["bound", "positions", "seconds"].includes(key);
      order = {key, down: order.key === key ? !order.down : first};
      changed();
    });
  }
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { order = {key: "order", down: false}; changed(); }));
  addEventListener("hashchange", recall);
  form.hidden = false;
  sort();
  filter();
  recall();
})();
