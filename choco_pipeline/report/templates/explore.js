"use strict";
(() => {
  const data = JSON.parse(document.getElementById("families").textContent);
  const find = (id) => document.getElementById(id);
  const numbers = (text) => new Int16Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

  // The rules of the game. A function is an array over the coordinates with the indices `of`.
  const at = (f, sizes, point) => (f.values ??= numbers(f.data))[f.of.reduce((i, axis) => i * sizes[axis] + point[axis], 0)];
  const isPosition = ({limits, within, sizes}, point) =>
    limits.every((l) => point[l.axis] <= at(l.largest, sizes, point)) && (!within || at(within, sizes, point) === 1);

  function* amounts(rules, move, from) {
    const cap = move.at_most ? Math.max(0, at(move.at_most, rules.sizes, from)) : Infinity;
    const most = move.lowers.map((axis) => Math.min(from[axis], cap));
    if (move.by !== "any" && move.by !== "each") {
      const same = Math.min(...most), chosen = move.by === "same" ? Array.from({length: same}, (_, i) => i + 1) : move.by;
      for (const n of chosen) if (n >= 1 && n <= same) yield most.map(() => n);
      return;
    }
    const least = move.by === "each" ? 1 : 0, taken = most.map(() => least);
    if (most.some((n) => n < least)) return;
    for (;;) {
      if (taken.some((n) => n > 0)) yield taken;
      let i = 0;
      while (i < taken.length && taken[i] === most[i]) taken[i++] = least;
      if (i === taken.length) return;
      taken[i] += 1;
    }
  }

  function* optionsBy(rules, move, from) {
    if (move.unless && at(move.unless, rules.sizes, from)) return;
    if (move.needs.length && move.needs.every((other) => optionsBy(rules, other, from).next().done)) return;
    for (const taken of amounts(rules, move, from)) {
      const to = [...from];
      move.lowers.forEach((axis, i) => { to[axis] -= taken[i]; });
      let allowed = true;
      for (const {axis, largest} of rules.limits) {
        const most = at(largest, rules.sizes, to);
        if (to[axis] > most) { to[axis] = most; allowed = allowed && move.clips; }
      }
      if (allowed) yield to;
    }
  }
  function* options(rules, from) { for (const move of rules.moves) yield* optionsBy(rules, move, from); }

  // The mex of the options' Grundy numbers. No move raises a coordinate, so the recursion ends.
  const grundy = (rules, point) => {
    rules.known ??= new Int16Array(rules.sizes.reduce((a, b) => a * b)).fill(-1);
    const i = point.reduce((sum, value, axis) => sum * rules.sizes[axis] + value, 0);
    if (rules.known[i] < 0) {
      const seen = new Set();
      for (const option of options(rules, point)) seen.add(grundy(rules, option));
      let least = 0;
      while (seen.has(least)) least += 1;
      rules.known[i] = least;
    }
    return rules.known[i];
  };

  // The table. From the cell at a place on the axes follows the Grundy number or the outcome of the position there.
  const positionAt = (table, place) => {
    if (table.position) return table.position.map((f) => at(f, table.axis_sizes, place));
    return isPosition(table.rules, place) ? place : null;
  };
  const stored = (table, place) => at(table.cells, table.axis_sizes, place);
  const isP = (table, place) => stored(table, place) === (table.stored === null ? Number(!table.holds_grundy_numbers) : place[table.stored]);

  let family, table, place = [], chosen = [], across = 1, up = 0, steps = 0;
  const canvas = find("cells"), here = find("here");

  // Pictures.
  const VIRIDIS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"], P = "#5b2e12", N = "#f0e0c6";
  const shade = (share) => {
    const t = share * (VIRIDIS.length - 1), i = Math.min(VIRIDIS.length - 2, Math.floor(t));
    const mixed = [1, 3, 5].map((k) => {
      const [a, b] = [VIRIDIS[i], VIRIDIS[i + 1]].map((c) => parseInt(c.slice(k, k + 2), 16));
      return Math.round(a + (b - a) * (t - i));
    });
    return `rgb(${mixed})`;
  };
  const plane = (column, row) => place.map((value, axis) => (axis === across ? column : axis === up ? row : value));
  const swatch = (colour, means) => {
    const one = document.createElement("span"), block = document.createElement("span");
    block.className = "swatch";
    block.style.background = colour;
    one.className = "nowrap";
    one.append(block, ` ${means} `);
    return one;
  };
  const draw = () => {
    const [columns, rows] = [table.axis_sizes[across], table.axis_sizes[up]];
    const side = Math.max(3, Math.floor(576 / Math.max(columns, rows))), pen = canvas.getContext("2d");
    canvas.width = columns * side;
    canvas.height = rows * side;
    const cells = [];
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      const where = plane(column, row);
      if (positionAt(table, where)) cells.push([column, row, table.holds_grundy_numbers ? stored(table, where) : isP(table, where)]);
    }
    const high = Math.max(1, ...cells.map(([, , value]) => Number(value)));
    const colour = (value) => (table.holds_grundy_numbers ? shade(value / high) : value ? P : N);
    for (const [column, row, value] of cells) {
      pen.fillStyle = colour(value);
      pen.fillRect(column * side, (rows - 1 - row) * side, side, side);
    }
    const style = getComputedStyle(canvas), x = place[across] * side, y = (rows - 1 - place[up]) * side;
    for (const [width, ink] of [[5, "--paper"], [2.5, "--link"]]) {
      pen.lineWidth = width;
      pen.strokeStyle = style.getPropertyValue(ink);
      pen.strokeRect(x, y, side, side);
    }
    const to = (axis) => `${table.axes[axis]} from ${table.firsts[axis]} to ${table.firsts[axis] + table.axis_sizes[axis] - 1}`;
    find("shows").textContent = `${table.ruleset}: ${to(across)} across, ${to(up)} up.`;
    const legend = table.holds_grundy_numbers ? [0, 0.25, 0.5, 0.75, 1].map((share) => [shade(share), share === 0 ? "0" : share === 1 ? `Grundy number ${high}` : ""])
      : [[P, "P-position"], [N, "N-position"]];
    find("legend").replaceChildren(...legend.map(([block, means]) => swatch(block, means)));
    canvas.setAttribute("aria-label", `${table.ruleset}, ${table.axes[across]} across and ${table.axes[up]} up; arrow keys move`);
  };

  const tuple = (names, values) => `(${names.join(", ")}) = (${values.join(", ")})`;
  const tell = () => {
    const point = positionAt(table, place), names = table.rules.coordinates;
    if (!point) { here.textContent = `${tuple(table.axes, place)} is not a position of this game.`; return; }
    const number = grundy(table.rules, point), agrees = table.holds_grundy_numbers ? stored(table, place) === number : isP(table, place) === (number === 0);
    const kind = `${number === 0 ? "a P-position" : "an N-position"}, Grundy number ${number}`;
    let wins = "";
    if (number === 0) wins = [...options(table.rules, point)].length ? " No move wins." : " Play has ended.";
    else for (const option of options(table.rules, point)) if (grundy(table.rules, option) === 0) { wins = ` The move to (${option.join(", ")}) wins.`; break; }
    const cell = table.position ? `Cell ${tuple(table.axes, place.map((value, axis) => value + table.firsts[axis]))}, position ` : "";
    here.textContent = `${cell}${tuple(names, point)}: ${kind}.${wins}${agrees ? "" : " The table says otherwise."}`;
  };

  // The automaton.
  const typed = () => [...find("position").querySelectorAll("input")].map((input) => (/^\d{1,60}$/.test(input.value.trim()) ? BigInt(input.value.trim()) : null));
  const walk = () => {
    const [automaton, values] = [automatonHere(), typed()];
    if (!automaton) return;
    const rows = [], bad = values.includes(null);
    const length = bad ? 0 : Math.max(1, ...values.map((n) => n.toString(2).length));
    automaton.next ??= numbers(automaton.delta);
    steps = Math.min(steps, length);
    let state = 0;
    for (let i = 0; i < steps; i += 1) {
      const digits = values.map((n) => Number((n >> BigInt(i)) & 1n));
      const to = automaton.next[state * 2 ** digits.length + digits.reduce((sum, digit, j) => sum + digit * 2 ** j, 0)];
      rows.push([`2${i < 10 ? "⁰¹²³⁴⁵⁶⁷⁸⁹"[i] : [...String(i)].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}`, digits.join(""), state, to]);
      state = to;
    }
    find("digits").replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      row.forEach((text, i) => { const cell = line.appendChild(document.createElement(i ? "td" : "th")); cell.textContent = text; if (!i) cell.scope = "row"; });
      return line;
    }));
    const yes = automaton.accepting.includes(state), relation = automaton.reads.at(-1) === "Grundy number";
    const end = relation ? (yes ? "this is its Grundy number" : "this is not its Grundy number, or no position") : yes ? "a P-position" : "an N-position, or none";
    find("state").textContent = bad ? "Type natural numbers of at most 60 digits." : steps < length
      ? `In state ${state} after ${steps} of ${length} digits.` : `In state ${state}, which ${yes ? "accepts" : "does not accept"}: ${end}.`;
    find("back").disabled = steps === 0;
    find("on").disabled = find("all").disabled = steps >= length;
    find("drawing").querySelectorAll(".node text, td.state").forEach((text) => text.classList.toggle("now", text.textContent === String(state)));
  };
  const automatonHere = () => table.automata[table.automata.length > 1 ? positionOrPlace().at(-1) : 0];
  const positionOrPlace = () => positionAt(table, place) ?? place;
  const showAutomaton = () => {
    const automaton = automatonHere(), form = find("position");
    find("walk").hidden = !automaton;
    find("no-walk").textContent = table.why_no_automata;
    find("drawing").hidden = !(automaton && automaton.picture);
    if (!automaton) return;
    find("reads").textContent = automaton.reads.join(", ");
    if (find("drawing").dataset.of !== `${table.ruleset} ${table.automata.indexOf(automaton)}`) find("drawing").innerHTML = automaton.picture ?? "";
    find("drawing").dataset.of = `${table.ruleset} ${table.automata.indexOf(automaton)}`;
    form.replaceChildren(...automaton.reads.map((name) => {
      const label = document.createElement("label"), input = document.createElement("input");
      Object.assign(input, {type: "text", inputMode: "numeric", size: 8, name});
      label.append(`${name} `, input);
      return label;
    }));
    const values = positionOrPlace();
    form.querySelectorAll("input").forEach((input, i) => { input.value = i < values.length && input.name !== "Grundy number" ? values[i] : 0; });
  };

  // Choices.
  const slider = (name, count, value, text, set) => {
    const label = document.createElement("label"), input = document.createElement("input"), output = document.createElement("output");
    Object.assign(input, {type: "range", min: 0, max: count - 1, value, disabled: count < 2});
    const say = () => { output.textContent = text(Number(input.value)); input.setAttribute("aria-valuetext", output.textContent); };
    input.setAttribute("aria-label", name);
    input.addEventListener("input", () => { say(); set(Number(input.value)); });
    say();
    label.append(`${name} `, input, " ", output);
    return label;
  };
  const slices = () => {
    const others = table.axes.map((_, axis) => axis).filter((axis) => axis !== across && axis !== up);
    find("slices").replaceChildren(...others.map((axis) => slider(`${table.axes[axis]} =`, table.axis_sizes[axis], place[axis], (n) => String(n + table.firsts[axis]), (n) => { place[axis] = n; shown(); })));
  };
  const shown = () => { draw(); tell(); steps = 0; showAutomaton(); walk(); };
  const moved = () => { slices(); shown(); };
  const open = (next) => {
    const same = table && table.axes.join() === next.axes.join();
    table = next;
    if (!same) {
      // The first view shows the plane of the table's dimensions without passes.
      const held = table.cells.of.filter((axis) => table.axes[axis] !== "p").sort((a, b) => a - b), every = table.axes.map((_, axis) => axis);
      [up, across] = held.length > 1 ? held.slice(-2) : every.slice(0, 2);
      place = table.axes.map((_, axis) => (axis === across ? Math.floor(table.axis_sizes[axis] * 0.7) : 1));
      for (const [id, axis] of [["across", across], ["up", up]]) {
        find(id).replaceChildren(...table.axes.map((name, i) => new Option(name, i)));
        find(id).value = axis;
      }
    }
    place = place.map((value, axis) => Math.min(value, table.axis_sizes[axis] - 1));
    moved();
  };
  // A slider for each parameter. Its values depend on the parameters before it, which do not change.
  const parameters = (from) => {
    const shown = find("parameters");
    while (shown.children.length > from) shown.lastChild.remove();
    for (let i = from; i < family.parameters.length; i += 1) {
      const fit = family.tables.filter((t) => t.values.slice(0, i).every((v, j) => v === chosen[j]));
      const values = [...new Set(fit.map((t) => t.values[i]))];
      if (!values.includes(chosen[i])) chosen[i] = values.reduce((a, b) => (Math.abs(b - chosen[i]) < Math.abs(a - chosen[i]) ? b : a));
      shown.append(slider(family.parameters[i], values.length, values.indexOf(chosen[i]), (n) => String(values[n]), (n) => { chosen[i] = values[n]; parameters(i + 1); }));
    }
    open(family.tables.find((t) => t.values.every((v, i) => v === chosen[i])));
  };
  const begin = () => {
    family = data[Number(find("family").value)];
    table = null;
    chosen = [...family.tables[Math.floor(family.tables.length / 2)].values];
    parameters(0);
  };
  // The address may name a game and a position: #nim(2)@1,2.
  const named = (address) => {
    const [game, position] = address.split("@");
    const number = data.findIndex((one) => one.tables.some((t) => t.ruleset === game));
    if (number < 0) return false;
    find("family").value = number;
    family = data[number];
    table = null;
    chosen = [...family.tables.find((t) => t.ruleset === game).values];
    parameters(0);
    const wanted = (position ?? "").split(",").filter(Boolean).map(Number);
    if (wanted.length === place.length && wanted.every((n, axis) => Number.isInteger(n) && n >= 0 && n < table.axis_sizes[axis])) {
      place = wanted;
      moved();
    }
    return true;
  };

  find("family").addEventListener("change", begin);
  for (const [id, other] of [["across", "up"], ["up", "across"]]) find(id).addEventListener("change", () => {
    const [axis, before] = [Number(find(id).value), id === "across" ? across : up];
    if (Number(find(other).value) === axis) find(other).value = before;
    [across, up] = [Number(find("across").value), Number(find("up").value)];
    moved();
  });
  const point = (event) => {
    const box = canvas.getBoundingClientRect(), [columns, rows] = [table.axis_sizes[across], table.axis_sizes[up]];
    const column = Math.floor((event.clientX - box.left) / box.width * columns), row = rows - 1 - Math.floor((event.clientY - box.top) / box.height * rows);
    if (column < 0 || row < 0 || column >= columns || row >= rows || (place[across] === column && place[up] === row)) return;
    [place[across], place[up]] = [column, row];
    shown();
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: [across, -1], ArrowRight: [across, 1], ArrowDown: [up, -1], ArrowUp: [up, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const [axis, by] = step;
    place[axis] = Math.max(0, Math.min(table.axis_sizes[axis] - 1, place[axis] + by));
    shown();
  });
  find("position").addEventListener("input", () => { steps = 0; walk(); });
  for (const form of ["position", "choices"]) find(form).addEventListener("submit", (event) => event.preventDefault());
  find("on").addEventListener("click", () => { steps += 1; walk(); });
  find("back").addEventListener("click", () => { steps -= 1; walk(); });
  find("all").addEventListener("click", () => { steps = Infinity; walk(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const inAddress = () => named(decodeURIComponent(location.hash.slice(1)));
  addEventListener("hashchange", inAddress);
  window.explored = {data, options, grundy, positionAt, isP, stored};
  find("choices").hidden = canvas.hidden = false;
  if (!inAddress() && !named(find("explore").dataset.opensOn)) begin();
})();
