"use strict";
(() => {
  // A link to evidence opens it, and all elements around it.
  const reveal = () => {
    if (location.hash.startsWith("#ledger?")) return;
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    target.scrollIntoView({block: target.offsetHeight > innerHeight / 2 ? "start" : "center"});
    if (target.tabIndex === -1 && target.hasAttribute("tabindex")) target.focus({preventScroll: true});
    else if (target.tagName === "DETAILS") target.querySelector("summary").focus({preventScroll: true});
  };
  addEventListener("hashchange", reveal);
  addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) reveal();
  });

  for (const game of document.querySelectorAll(".chooser")) {
    const select = game.querySelector("select");
    if (!select) continue;
    select.addEventListener("change", () => {
      const i = Number(select.value);
      for (const bar of game.querySelectorAll("[data-choice]")) bar.hidden = Number(bar.dataset.choice) !== i;
    });
  }
  reveal();
})();
