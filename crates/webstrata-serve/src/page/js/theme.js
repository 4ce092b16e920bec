// No module, and in the head: the chosen colours are there before anything is painted.
{
  let theme = null;
  try {
    theme = localStorage.getItem("webstrata-theme");
  } catch {
    // Storage is switched off: the system's choice it is.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
