import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { newLog } from "./log.ts";
import { drain, terminationSignal } from "./termination.ts";

const silent = newLog({ verbosity: -1, write: () => {}, now: () => 0 });

describe("termination signals", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "the first %s is reported, and a second ends the process with %i",
    async (signal, code) => {
      const process = new EventEmitter();
      const exits: number[] = [];
      const first = terminationSignal(process, (code) => exits.push(code));
      process.emit(signal);
      expect(await first).toBe(signal);
      expect(exits).toEqual([]);
      process.emit(signal);
      expect(exits).toEqual([code]);
    },
  );
});

describe("drain", () => {
  function steps(releaseLease: () => Promise<void> = async () => {}) {
    const done: string[] = [];
    return {
      done,
      input: {
        timeoutMs: 5,
        log: silent,
        running: () => 0,
        markNotServing: () => done.push("not serving"),
        releaseLease: () => {
          done.push("release lease");
          return releaseLease();
        },
        stop: async () => {
          done.push("stop");
        },
      },
    };
  }

  it("drain reports not serving, releases the lease, and stops after its window", async () => {
    const { done, input } = steps();
    const draining = drain("SIGTERM", input);
    expect(done).toEqual(["not serving", "release lease"]);
    await draining;
    expect(done).toEqual(["not serving", "release lease", "stop"]);
  });

  it("drain stops even if the lease could not be released", async () => {
    const { done, input } = steps(() => Promise.reject(new Error("no API server")));
    await drain("SIGTERM", input);
    expect(done.at(-1)).toBe("stop");
  });

  it("drain has no window after SIGINT", async () => {
    const { done, input } = steps();
    await drain("SIGINT", { ...input, timeoutMs: 3_600_000 });
    expect(done.at(-1)).toBe("stop");
  });
});
