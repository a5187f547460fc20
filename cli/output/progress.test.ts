import { describe, expect, it } from "vitest";
import { startProgress } from "./progress.ts";

/** Output of 100 steps of 200 ms each, followed by a warning. */
function written({ isTerminal = false, isForMachines = false }): string[] {
  const texts: string[] = [];
  let time = 0;
  const err = { write: (text: string) => void texts.push(text), isTerminal };
  const terminal = { err, now: () => time };
  using progress = startProgress(terminal, { isForMachines });
  for (let done = 0; done < 100; done++) {
    progress.at("Objects checked", done, 100);
    time += 200;
  }
  progress.terminal.err.write("a warning\n");
  return texts;
}

describe("progress", () => {
  it("starts after 2 s on a terminal, and rewrites one line", () => {
    const texts = written({ isTerminal: true });
    expect(texts[0]).toBe("\r\u001b[KObjects checked: 10 of 100");
    expect(texts.at(-3)).toBe("\r\u001b[KObjects checked: 99 of 100");
  });

  it("clears its line before other output", () => {
    expect(written({ isTerminal: true }).slice(-2)).toEqual(["\r\u001b[K", "a warning\n"]);
  });

  it("is one plain line every 10 s without a terminal", () => {
    expect(written({})).toEqual(["Objects checked: 50 of 100\n", "a warning\n"]);
  });

  it("is shown only on a terminal if a program reads the output", () => {
    expect(written({ isForMachines: true })).toEqual(["a warning\n"]);
    expect(written({ isForMachines: true, isTerminal: true })[0]).toContain(
      "Objects checked: 10 of 100",
    );
  });
});
