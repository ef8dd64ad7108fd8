"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 100;
  const PRINTED = 1000;
  const element = (tag, text) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };
  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  const cards = () => {
    const all = [...document.querySelectorAll(".cards > .card")];
    const box = document.querySelector('[data-filter="cards"]');
    if (!box) return;
    const more = document.querySelector('[data-more="cards"]');
    const texts = all.map((card) => card.textContent.toLowerCase());
    let shown = 60;
    const draw = () => {
      const wanted = box.querySelector("input").value.trim().toLowerCase();
      let found = 0;
      all.forEach((card, i) => {
        const fits = texts[i].includes(wanted);
        card.hidden = !fits || found >= shown;
        found += fits ? 1 : 0;
      });
      box.querySelector("output").textContent = plural(found, "explanation");
      more.parentElement.hidden = found <= shown;
    };
    box.hidden = all.length < 4;
    box.querySelector("input").addEventListener("input", draw);
    more.addEventListener("click", () => { shown += 60; draw(); });
    draw();
  };

  const table = () => {
    const box = document.querySelector('[data-filter="table"]');
    const pages = document.querySelector(".pages");
    const head = document.querySelector("#assignment thead");
    const body = document.querySelector("#assignment tbody");
    const select = box.querySelector("select");
    const header = document.createElement("tr");
    data.columns.forEach((name) => {
      const cell = element("th", name);
      cell.scope = "col";
      header.append(cell);
    });
    head.append(header);
    const texts = data.lines.map((line) => line.join("\u0000").toLowerCase());
    const numbers = [...new Set(data.lines.map((line) => line[1]))];
    numbers.sort((a, b) => Number(a) - Number(b) || a.localeCompare(b));
    numbers.forEach((number) => {
      const option = element("option", number);
      option.value = number;
      select.append(option);
    });
    let page = 0;
    let found = [];
    const fill = (from, to) => body.replaceChildren(...found.slice(from, to).map((i) => {
      const line = document.createElement("tr");
      data.lines[i].forEach((text, column) => line.append(element(column ? "td" : "th", text)));
      line.firstChild.scope = "row";
      line.firstChild.title = data.lines[i][0];
      return line;
    }));
    const draw = () => {
      const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
      page = Math.min(Math.max(page, 0), last);
      fill(page * PAGE, (page + 1) * PAGE);
      pages.querySelector("span").textContent = found.length
        ? `${page * PAGE + 1} to ${Math.min((page + 1) * PAGE, found.length)} of ${found.length.toLocaleString("en")}`
        : "no row fits";
      pages.querySelector('[data-page="-1"]').disabled = page === 0;
      pages.querySelector('[data-page="1"]').disabled = page === last;
    };
    const filter = () => {
      const wanted = box.querySelector("input").value.trim().toLowerCase();
      const number = select.value;
      found = [];
      texts.forEach((text, i) => {
        if (text.includes(wanted) && (number === "" || data.lines[i][1] === number)) found.push(i);
      });
      page = 0;
      box.querySelector("output").textContent = plural(found.length, "row");
      draw();
    };
    box.querySelector("input").addEventListener("input", filter);
    select.addEventListener("change", filter);
    pages.querySelectorAll("button").forEach((button) =>
      button.addEventListener("click", () => { page += Number(button.dataset.page); draw(); }));
    filter();
    window.addEventListener("beforeprint", () => {
      fill(0, PRINTED);
      document.querySelector(".printed").textContent = found.length > PRINTED
        ? `The first ${PRINTED.toLocaleString("en")} of ${plural(found.length, "row")} are printed; ` +
          "the file itself holds all of them."
        : "";
    });
    window.addEventListener("afterprint", draw);
  };

  cards();
  table();
  const details = [...document.querySelectorAll("details")];
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = details.filter((part) => !part.open);
    closed.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((part) => { part.open = false; }));
})();
