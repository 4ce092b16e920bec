// Tabs as the ARIA practices describe them: arrows move, the tab that has the focus is shown.

/** Makes tabs of `[role=tab]` elements; calls `onShow` with the name of a tab when it is shown. */
export function makeTabs(list, onShow) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

  function show(tab, focus) {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      panel(other).hidden = !chosen;
    }
    if (focus) tab.focus();
    // Along the tabs only: the page itself stays where it is.
    list.scrollLeft = Math.max(0, tab.offsetLeft - list.offsetLeft - list.clientWidth / 3);
    onShow?.(tab.dataset.tab);
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) show(tab, true);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    show(tabs[(to + tabs.length) % tabs.length], true);
  });
  return {
    show: (name) => show(tabs.find((tab) => tab.dataset.tab === name) ?? tabs[0], false),
    current: () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.dataset.tab,
  };
}
