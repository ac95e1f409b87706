/* Tables that sort and filter, and wide parts that the keyboard can scroll: additions, nothing depends on them. */
(function () {
  "use strict";
  var SORTED = 3, FILTERED = 12; // rows from which a table is worth it

  var COMMA = document.documentElement.dataset.point === ",";
  var GROUPS = COMMA ? /(\d)[ .](?=\d{3}(?!\d))/g : /(\d)[ ,’](?=\d{3}(?!\d))/g; // between thousands

  function words(cell) { return cell ? cell.textContent.replace(/[\u00a0\s]+/g, " ").trim() : ""; }

  function value(cell) {
    var text = words(cell), bare = text.replace(GROUPS, "$1").replace(/\u2212/g, "-").replace(/^[≤≥=<>≈~+]\s*/, "");
    if (COMMA) bare = bare.replace(/(\d),(?=\d)/, "$1.");
    if (cell && cell.dataset.value) bare = cell.dataset.value;
    return { text: text, number: /^-?[\d.]/.test(bare) ? parseFloat(bare) : NaN, none: text === "" || text === "–" || text === "n/a" };
  }

  /* Missing values stay last both ways; numbers come before words. */
  function order(a, b, way) {
    if (a.none || b.none) return a.none - b.none;
    if (isNaN(a.number) !== isNaN(b.number)) return isNaN(a.number) ? 1 : -1;
    return way * (isNaN(a.number) ? a.text.localeCompare(b.text, "en", { numeric: true }) : a.number - b.number);
  }

  function sortable(table, body, printed, totals) {
    var heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.title = "Sort: up, down, as printed";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var next = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")];
        if (next === undefined) next = "ascending";
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        if (next) head.setAttribute("aria-sort", next);
        var way = next === "descending" ? -1 : 1, rows = printed.slice();
        if (next) rows.sort(function (a, b) { return order(value(a.cells[column]), value(b.cells[column]), way); });
        rows.concat(totals).forEach(function (row) { body.appendChild(row); });
      });
    });
  }

  function filterable(part, table, printed, totals) {
    var bar = document.createElement("div"), label = document.createElement("label");
    var input = document.createElement("input"), said = document.createElement("span");
    bar.className = "filter";
    input.type = "search";
    label.append("Filter ", input);
    input.setAttribute("aria-label", "Filter " + (part.getAttribute("aria-label") || "table").toLowerCase());
    said.setAttribute("role", "status");
    bar.append(label, said);
    part.insertBefore(bar, table);
    input.addEventListener("input", function () {
      var wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
      printed.forEach(function (row) {
        var text = Array.from(row.cells, words).join(" ").toLowerCase();
        row.hidden = !wanted.every(function (word) { return text.includes(word); });
        shown += !row.hidden;
      });
      said.textContent = !wanted.length ? "" :
        shown + " of " + printed.length + " rows" + (totals.length ? "; totals are of all rows" : "");
    });
  }

  document.querySelectorAll(".table:not(.tall):not(.ruled)").forEach(function (part) {
    var table = part.querySelector("table"), body = table.tBodies[0], rows = Array.from(body.rows);
    var totals = rows.filter(function (row) { return row.classList.contains("total"); });
    var printed = rows.filter(function (row) { return !row.classList.contains("total"); });
    if (printed.length >= SORTED) sortable(table, body, printed, totals);
    if (printed.length >= FILTERED) filterable(part, table, printed, totals);
  });

  /* What scrolls sideways is a stop of the Tab key, what fits is none. */
  function stops() {
    document.querySelectorAll(".table, figure, .listing").forEach(function (part) {
      if (part.scrollWidth > part.clientWidth + 1) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    });
  }
  document.querySelectorAll(".listing").forEach(function (part) {
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", "Listing");
  });
  stops();
  addEventListener("resize", stops);
  document.fonts.ready.then(stops);
})();
