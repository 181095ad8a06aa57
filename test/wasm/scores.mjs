// Scores rows with scorer.wasm, and tries what it must refuse.
//
//   node scores.mjs SCORER.wasm SCORER.mjs MODEL ROWS SIZES SCORES
//
// ROWS are float64, little-endian. SIZES are the rows of each query, with commas between. Writes SCORES and prints the
// microseconds that a row takes.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { WASI } from "node:wasi";

const [wasm, module, model, rowsFile, sizesFile, output] = process.argv.slice(2);
const { Scorers } = await import(pathToFileURL(module));
const scorers = await Scorers.open(readFileSync(wasm), new WASI({ version: "preview1" }));
const ranker = scorers.load(readFileSync(model));
const bytes = readFileSync(rowsFile);
const rows = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const sizes = readFileSync(sizesFile, "utf8").split(",").map(Number);

const scores = new Float64Array(rows.length / ranker.width);
let best = Infinity;
for (let round = 0; round < 3; round++) {
  const began = performance.now();
  let first = 0;
  for (const size of sizes) {
    scores.set(ranker.score(rows.subarray(first * ranker.width, (first + size) * ranker.width)), first);
    first += size;
  }
  best = Math.min(best, performance.now() - began);
}
writeFileSync(output, new Uint8Array(scores.buffer));

function refused(what, call) {
  try {
    call();
  } catch (error) {
    if (error.message !== "") return;
  }
  throw new Error(`${what} was not refused`);
}
refused("half a row", () => ranker.score(new Float64Array(ranker.width + 1)));
refused("no model", () => scorers.load(new TextEncoder().encode("no model")));
refused("an empty model", () => scorers.load(new Uint8Array(0)));
for (const call of [
  (e) => e.score(99, 0, 1, 0),
  (e) => e.score(ranker.model, 12345, 1, 54321),
  (e) => e.score(ranker.model, e.allocate(8 * ranker.width), 2, e.allocate(16)),
  (e) => e.score(ranker.model, e.allocate(8 * ranker.width), -1, e.allocate(16)),
  (e) => e.load(e.allocate(8), 9),
  (e) => e.load(0, -1),
  (e) => e.width(-1),
]) {
  refused(call, () => {
    if (call(scorers.exports) === -1) throw new Error(scorers.message());
  });
}
console.log((1000 * best) / scores.length);
