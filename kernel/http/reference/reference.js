// Filter and copy. Everything else on the page is there without this.
const filter = document.querySelector(".filter");
const input = filter.querySelector("input");
const groups = [...document.querySelectorAll(".group")];
const nothing = document.querySelector(".nothing");
const announce = document.querySelector(".announce");

filter.hidden = false;
input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const group of groups) {
    let inGroup = 0;
    for (const item of group.querySelectorAll("li")) {
      item.hidden = !words.every((word) => item.dataset.words.includes(word));
      if (!item.hidden) inGroup += 1;
    }
    group.hidden = inGroup === 0;
    shown += inGroup;
  }
  nothing.hidden = shown > 0;
  announce.textContent = input.value === "" ? "" : `${shown} operations`;
});
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && input.value !== "") {
    input.value = "";
    input.dispatchEvent(new Event("input"));
  } else if (event.key === "Enter") {
    document.querySelector(".group:not([hidden]) li:not([hidden]) a")?.click();
  }
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (getComputedStyle(filter).visibility === "hidden" || filter.offsetParent === null)
    location.hash = "#menu";
  input.focus();
});

// Without a secure context there is no clipboard: then there is no button either.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll(".copy")) button.hidden = false;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const code = button.closest(".code").querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    announce.textContent = button.textContent;
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}

// The operation that is being read is marked in the menu.
const links = new Map(
  [...document.querySelectorAll(".group li a")].map((link) => [link.hash.slice(1), link]),
);
let current;
const mark = (id) => {
  const link = links.get(id);
  if (!link || link === current) return;
  current?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "location");
  current = link;
  if (matchMedia("(min-width: 60rem)").matches) link.scrollIntoView({ block: "nearest" });
};
const observer = new IntersectionObserver(
  (seen) => {
    for (const entry of seen) if (entry.isIntersecting) mark(entry.target.id);
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
addEventListener("hashchange", () => mark(location.hash.slice(1)));
for (const article of document.querySelectorAll("article.operation")) observer.observe(article);
