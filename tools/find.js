(function () {
  var box = document.querySelector(".find input"), list = document.querySelector(".find ul"), said = document.querySelector(".find p");
  box.addEventListener("input", function () {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    var found = words.length ? ENTRIES.filter(function (e) { return words.every(function (w) { return e[0].toLowerCase().indexOf(w) >= 0; }); }) : [];
    list.textContent = "";
    found.slice(0, 20).forEach(function (e) {
      var item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("small");
      link.href = e[1]; link.textContent = e[0]; where.textContent = " " + e[2];
      item.appendChild(link); item.appendChild(where); list.appendChild(item);
    });
    said.textContent = !words.length ? "" : found.length > 20 ? found.length + " found, 20 shown" : found.length + " found";
  });
})();
