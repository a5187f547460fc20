import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readBody } from "./read-body.ts";

const options = { what: "the answer", maxBytes: 6 };

it("readBody reads a body up to the maximum size, in pieces of any size", async () => {
  const body = new PassThrough();
  const read = readBody(body, options);
  body.write("one");
  body.end("two");
  expect(`${await read}`).toBe("onetwo");
  const empty = new PassThrough().end();
  expect(await readBody(empty, options)).toHaveLength(0);
});

it("readBody copies pieces, because a piece of one byte would retain a hundred", async () => {
  const body = new PassThrough();
  const read = readBody(body, options);
  const piece = Buffer.from("one");
  const came = new Promise((resolve) => body.once("data", resolve));
  body.write(piece);
  await came;
  piece.fill("x");
  body.end();
  expect(`${await read}`).toBe("one");
});

it("readBody ends immediately for a body that is too long, and keeps nothing more of it", async () => {
  const body = new PassThrough();
  const read = readBody(body, options);
  body.write("one");
  body.write("four");
  await expect(read).rejects.toThrow("the answer is longer than 6 bytes");
  expect(body.destroyed).toBe(true);
});

it("the caller may discard the rest of a body that is too long", async () => {
  const body = new PassThrough();
  const read = readBody(body, { ...options, onTooLong: (rest) => rest.resume() });
  body.write("onefour");
  await expect(read).rejects.toThrow("longer than 6 bytes");
  const ended = new Promise((resolve) => body.once("end", resolve));
  body.end("and more");
  await ended;
});

it("readBody throws for an incomplete body, with the reason if there is one", async () => {
  const cut = new PassThrough();
  const read = readBody(cut, options);
  cut.destroy();
  await expect(read).rejects.toThrow("the answer is incomplete");
  const failed = new PassThrough();
  const other = readBody(failed, options);
  failed.destroy(new Error("reset"));
  await expect(other).rejects.toThrow("reset");
});
