/* Sorting of tables by a click on a column head: an addition, nothing depends on it. */
(function () {
  function value(cell) {
    var text = cell.textContent.replace(/\u00a0/g, "").replace(/\u2212/g, "-").trim();
    var number = parseFloat(text.replace(/^[≤≥=<>+]/, ""));
    return { text: text, number: /^[≤≥=<>+-]?[\d.]/.test(text) ? number : NaN };
  }
  function compare(a, b) {
    if (isNaN(a.number) !== isNaN(b.number)) return isNaN(a.number) ? 1 : -1;
    return isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number;
  }
  document.querySelectorAll(".table table").forEach(function (table) {
    var body = table.tBodies[0];
    if (body.rows.length < 4) return;
    table.querySelectorAll("thead th").forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") === "ascending";
        table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        var rows = Array.from(body.rows), totals = rows.filter(function (row) { return row.classList.contains("total"); });
        rows.filter(function (row) { return !row.classList.contains("total"); })
          .sort(function (a, b) { return compare(value(a.cells[column]), value(b.cells[column])) * (down ? -1 : 1); })
          .concat(totals).forEach(function (row) { body.appendChild(row); });
      });
    });
  });
})();
