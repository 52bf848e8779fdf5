// Runs before the first paint, so that a chosen theme never flashes. Its own file, because the CSP forbids inline scripts.
(() => {
  const theme = localStorage.getItem("plinth.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
