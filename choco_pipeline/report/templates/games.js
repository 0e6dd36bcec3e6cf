"use strict";
(() => {
  const model = (name) => {
    for (const shown of Bokeh.documents) {
      const found = shown.get_model_by_name(name);
      if (found) return found;
    }
    return null;
  };

  // Canvas does not inherit the page's colours.
  const paint = (name) => {
    const plot = model(name + "-plot");
    if (!plot) return;
    const style = getComputedStyle(document.body), ink = style.getPropertyValue("--ink"), line = style.getPropertyValue("--line");
    const strokes = {axis_line_color: line, major_tick_line_color: line, minor_tick_line_color: line};
    for (const part of [...plot.below, ...plot.above, ...plot.left, ...plot.right]) {
      if (part.type === "ColorBar") part.setv({major_label_text_color: ink, bar_line_color: line});
      else part.setv({axis_label_text_color: ink, major_label_text_color: ink, ...strokes});
    }
    plot.outline_line_color = line;
  };

  const choose = (name, i) => {
    const plot = model(name + "-plot");
    if (!plot) return;
    const all = plot.tags[0].data, first = all.left[i], high = model(name + "-mapper");
    if (plot.right.length) high.high = all.high[i];
    model(name + "-shown").data = Object.fromEntries(Object.entries(all).map(([key, column]) => [key, [column[i]]]));
    const set = (range, size, down) => {
      const [start, end] = down ? [first + size, first] : [first, first + size];
      range.setv({start, end, reset_start: start, reset_end: end});
    };
    set(plot.x_range, all.width[i], false);
    set(plot.y_range, all.height[i], plot.y_range.start > plot.y_range.end);
  };

  const drawn = new Set();
  const draw = async (place) => {
    if (drawn.has(place.id)) return;
    drawn.add(place.id);
    await Bokeh.embed.embed_item(JSON.parse(document.getElementById(place.id + "-item").textContent));
    paint(place.id);
    const select = place.closest(".game").querySelector("select");
    if (select) choose(place.id, Number(select.value));
    place.dataset.drawn = "yes";
  };
  const plots = document.querySelectorAll(".plot");
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); draw(entry.target); }
  }, {rootMargin: "600px"});
  plots.forEach((place) => near.observe(place));
  addEventListener("beforeprint", () => plots.forEach((place) => { if (!place.closest("[hidden]")) draw(place); }));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach(paint));

  for (const game of document.querySelectorAll(".game")) {
    const select = game.querySelector("select");
    if (select) select.addEventListener("change", () => {
      const i = Number(select.value);
      for (const panel of game.querySelectorAll(".panel")) {
        const caption = JSON.parse(panel.dataset.captions)[i];
        panel.hidden = !caption;
        panel.querySelector(".caption").textContent = caption;
        if (caption) choose(panel.querySelector(".plot").id, i);
      }
    });
  }
})();
