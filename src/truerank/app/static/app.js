"use strict";

// One file at a time, its last answer, and the request under way.
const state = { name: "", data: null, answer: null, asking: null };
const at = (id) => document.getElementById(id);

function shown(id, visible) { at(id).hidden = !visible; }

/** What was refused is said beside the file, with buttons for the settings that it names, and the settings open. */
function refuse(text) {
  at("refused").textContent = text;
  shown("refused", Boolean(text));
  at("status").textContent = "";
  offer("remedies", text);
  if (!text) return;
  shown("settings", state.data !== null);
  at("settings").open = true;
  at("refused").scrollIntoView({ block: "center" });
}

/** A button for each run of “Label: value” in a message: it sets them all, and assesses again. */
function offer(id, text) {
  const labels = new Map([...at("controls").querySelectorAll(".field")].map(
    (field) => [field.querySelector("span").textContent, field.querySelector("input, select")]));
  const runs = text.match(/“[^“”]+: [^“”]+”(, “[^“”]+: [^“”]+”)*/g) ?? [];
  at(id).replaceChildren(...runs.flatMap((run) => {
    const pairs = [...run.matchAll(/“([^“”]+?): ([^“”]+)”/g)].map(([, label, value]) => [labels.get(label), value]);
    if (!pairs.every(([control]) => control)) return [];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Use ${run}`;
    button.addEventListener("click", () => { pairs.forEach(put); assess(); });
    return [button];
  }));
}

/** Set a control to what a message calls its value. */
function put([control, value]) {
  const option = [...(control.options ?? [])].find((one) => one.text.split(":")[0] === value);
  control.value = option ? option.value : value;
}

/** The controls of a form that are set, as the address has them. */
function settings(form) {
  const found = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) found.set(name, value);
  return found;
}

/** Ask the server; each step is shown, and the answer returned; null where it is refused or stopped. */
async function ask(task, more) {
  if (state.data === null) return null;
  state.asking?.abort();
  const asking = (state.asking = new AbortController());
  refuse("");
  shown("stop", true);
  at("status").textContent = "Sending the file";
  const of_reading = new Set([...at("controls").querySelector("fieldset").elements].map((one) => one.name));
  const given = settings(at("controls"));
  const address = new URLSearchParams({ name: state.name });
  for (const [key, value] of given) if (task === "assess" || of_reading.has(key)) address.set(key, value);
  for (const [key, value] of more) address.set(key, value);
  try {
    const response = await fetch(`/${task}?${address}`, {
      method: "POST", body: state.data, signal: asking.signal, headers: { "content-type": "application/octet-stream" },
    });
    if (!response.ok) throw new Error(await response.text());
    return await answered(response.body.getReader());
  } catch (error) {
    const why = error.message || "the server does not answer; start it again";
    if (error.name !== "AbortError") at("status").textContent = "";
    if (error.name !== "AbortError" && task !== "assess") at(`${task}-answer`).textContent = why;
    else if (error.name !== "AbortError") refuse(why);
    else if (state.asking === asking) at("status").textContent = "Stopped.";
    return null;
  } finally {
    if (state.asking === asking) { state.asking = null; shown("stop", false); }
  }
}

async function answered(reader) {
  const decoder = new TextDecoder();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    held += decoder.decode(value, { stream: !done });
    const lines = held.split("\n");
    held = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.refused) throw new Error(message.refused);
      if (!message.step) { at("status").textContent = ""; return message; }
      at("status").textContent = `${message.step} …`;
    }
    if (done) throw new Error("the answer broke off; try again");
  }
}

function frame(id, page) {
  const address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  at(id).addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
  at(id).src = address;
  shown(id, true);
}

function fill(systems, pair) {
  for (const select of document.querySelectorAll("select[data-systems]")) {
    const before = select.value;
    select.replaceChildren(select.form.id === "controls" ? new Option("None", "") : new Option("Choose", ""),
      ...systems.map((name) => new Option(name, name)));
    if (systems.includes(before)) select.value = before;
  }
  const [baseline, candidate] = at("gate").querySelectorAll("select");
  if (!baseline.value && systems.length > 1) baseline.value = pair[0] ?? systems[1];
  if (!candidate.value) candidate.value = pair[1] ?? systems[0];
}

async function assess() {
  shown("settings", true);
  shown("answer", false);
  const found = await ask("assess", []);
  if (found === null) return;
  state.answer = found;
  fill(found.systems, found.pair);
  at("how-read").textContent = found.read;
  offer("doubts", found.read);
  shown("planning", found.pair.length === 0);
  at("command").textContent = found.command;
  at("python").textContent = found.python;
  for (const id of ["gate-answer", "plan-answer"]) at(id).textContent = "";
  shown("gate-page", false);
  frame("page", found.page);
  shown("answer", true);
  at("answer").focus({ preventScroll: true });
  at("answer").scrollIntoView();
}

async function take(name, data) {
  state.name = name;
  state.data = data;
  at("controls").reset();
  for (const select of document.querySelectorAll("select[data-systems]")) select.replaceChildren(new Option("None", ""));
  shown("answer", false);
  columns(await new Blob([data]).slice(0, 65536).text());
  await assess();
}

/** The columns of a table's first line, to choose from. */
function columns(text) {
  const first = text.split(/\r?\n/, 1)[0];
  const names = first.split(first.includes("\t") ? "\t" : first.includes("|") ? "|" : first.includes(";") && !first.includes(",") ? ";" : ",");
  at("columns").replaceChildren(...names.slice(0, 200).map((name) => new Option(name.trim().replace(/^"|"$/g, ""))));
}

function save(name, data, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function saved(what) {
  if (what === "page") return save("truerank.html", state.answer.page, "text/html");
  if (what === "json") return save("truerank.json", JSON.stringify(state.answer.json, null, 1), "application/json");
  const found = await ask("assess", [["files", what]]);
  if (found) save(`truerank-${what}.zip`, Uint8Array.from(atob(found.zip), (one) => one.charCodeAt(0)), "application/zip");
}

async function question(task, event) {
  event.preventDefault();
  at(`${task}-answer`).textContent = "";
  const found = await ask(task, settings(event.target));
  if (found === null) return;
  at(`${task}-answer`).textContent = `${found.summary}\n${found.command}`;
  if (task === "gate") frame("gate-page", found.page);
}

const drop = at("drop");
for (const kind of ["dragover", "dragenter"])
  addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
addEventListener("dragleave", () => drop.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const files = event.dataTransfer.files;
  if (files.length === 1) take(files[0].name, files[0]);
  else if (files.length) refuse("one file at a time; several go to the command line: truerank assess FILE FILE");
});
at("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) take(file.name, file);
  event.target.value = "";
});
at("use-pasted").addEventListener("click", () => take("pasted table", at("pasted").value));
for (const button of document.querySelectorAll("[data-example]"))
  button.addEventListener("click", async () => {
    const response = await fetch(`/example/${button.dataset.example}`);
    take(button.dataset.example, await response.arrayBuffer());
  });
at("stop").addEventListener("click", () => state.asking?.abort());
at("controls").addEventListener("submit", (event) => { event.preventDefault(); assess(); });
at("gate").addEventListener("submit", (event) => question("gate", event));
at("plan").addEventListener("submit", (event) => question("plan", event));
at("plan").elements.tau.addEventListener("input", (event) => { at("tau-shown").value = Number(event.target.value).toFixed(2); });
for (const button of document.querySelectorAll("[data-save]"))
  button.addEventListener("click", () => saved(button.dataset.save));
