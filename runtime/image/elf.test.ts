import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readElf } from "./elf.ts";

it("readElf returns the loader and the libraries of a program that ldd lists", () => {
  const program = readFileSync(process.execPath);
  const { machine, interpreter, libraries } = readElf(program);
  const resolved = execFileSync("ldd", [process.execPath], { encoding: "utf8" });
  expect(machine).toBe(process.arch === "arm64" ? 183 : 62);
  expect(resolved).toContain(interpreter);
  expect(libraries).toContain("libc.so.6");
  for (const library of libraries) expect(resolved).toContain(library);
});

it("readElf rejects a file of another format", () => {
  expect(() => readElf(Buffer.from("#!/bin/sh\nexit 0\n"))).toThrow("not a 64-bit");
});
