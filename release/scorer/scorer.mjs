// The interface of scorer.wasm in JavaScript, for Node and browsers. It needs a WASI preview 1: node:wasi, or a
// package for browsers.
//
//   import { WASI } from "node:wasi";
//   import { Scorers } from "./scorer.mjs";
//   const scorers = await Scorers.open(bytesOfScorerWasm, new WASI({ version: "preview1" }));
//   const ranker = scorers.load(bytesOfModel);
//   const scores = ranker.score(rows);    // Float64Array, rows one after the other; NaN is a missing value

export class Scorers {
  static async open(bytes, wasi) {
    const { instance } = await WebAssembly.instantiate(bytes, wasi.getImportObject());
    wasi.initialize(instance);
    return new Scorers(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  // load returns a scorer of a model, whose file is an Uint8Array in any format that lambdamart reads.
  load(file) {
    const { memory, allocate, release, load, width } = this.exports;
    const pointer = allocate(file.length);
    new Uint8Array(memory.buffer, pointer >>> 0, file.length).set(file);
    const model = load(pointer, file.length);
    release(pointer);
    if (model < 0) throw new Error(this.message());
    return new Scorer(this, model, width(model));
  }

  message() {
    const { memory, message, message_size } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, message() >>> 0, message_size()).slice());
  }
}

class Scorer {
  constructor(scorers, model, width) {
    this.scorers = scorers;
    this.model = model;
    this.width = width; // values in a row
  }

  // score returns the scores of rows as a Float64Array. For a model with query context the rows are the documents of
  // one query.
  score(rows) {
    const n = rows.length / this.width;
    if (!Number.isInteger(n)) throw new RangeError(`${rows.length} values, want ${this.width} for each row`);
    const { memory, allocate, release, score } = this.scorers.exports;
    const from = allocate(8 * rows.length);
    const to = allocate(8 * n);
    try {
      new Float64Array(memory.buffer, from >>> 0, rows.length).set(rows);
      if (score(this.model, from, n, to) !== 0) throw new Error(this.scorers.message());
      return new Float64Array(memory.buffer, to >>> 0, n).slice();
    } finally {
      release(from);
      release(to);
    }
  }
}
