/* What the theme leaves unsaid to those who listen to a page, or walk it by keyboard. */
(() => {
  let lists = 0;
  const finish = () => {
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
    // A list of pages may be called as another list is: it is named after its section.
    for (const inner of document.querySelectorAll(".md-nav--primary .md-nav[aria-labelledby]")) {
      const section = inner.getAttribute("aria-labelledby");
      const label = document.getElementById(section)?.textContent.trim();
      lists += 1;
      inner.setAttribute("aria-label", `Pages of ${label || `section ${lists}`}`);
      inner.removeAttribute("aria-labelledby");
    }
    // Lists within the table of contents are no landmarks, and two of them may have one name.
    for (const inner of document.querySelectorAll(".md-nav--secondary .md-nav[aria-label]")) {
      inner.setAttribute("role", "none");
      inner.removeAttribute("aria-label");
    }
    for (const buttons of document.querySelectorAll(".md-code__nav:not([role])")) buttons.setAttribute("role", "none");
    for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
      table.setAttribute("tabindex", "0");
      table.setAttribute("role", "group");
      table.setAttribute("aria-label", "Table");
    }
  };
  finish();
  // The theme wraps tables, and adds buttons to code, after the page is there.
  new MutationObserver(finish).observe(document.body, { childList: true, subtree: true });
})();
