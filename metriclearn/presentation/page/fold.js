// What an address leads to is opened, also inside what is folded.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const inside = target.tagName === "SECTION" ? target.querySelector(":scope > details.fold") : null;
  for (let part = inside || target; part; part = part.parentElement) {
    if (part.tagName === "DETAILS") part.open = true;
  }
  target.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash) unfold();
