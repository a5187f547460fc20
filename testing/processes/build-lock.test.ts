import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withLock } from "./build-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "build-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that takes the lock and keeps it. */
async function holder(file: string) {
  const script = `
    import { withLock } from ${JSON.stringify(join(import.meta.dirname, "build-lock.ts"))};
    await withLock(${JSON.stringify(file)}, async () => {
      process.stdout.write("held");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

it("runs one piece of work at a time", async () => {
  const file = join(folder, "lock");
  const log: string[] = [];
  const work = (name: string) => () =>
    withLock(
      file,
      async () => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        log.push(`${name} ends`);
      },
      { retryMs: 5 },
    );
  await Promise.all([work("a")(), work("b")(), work("c")()]);
  const begins = log.filter((_, at) => at % 2 === 0);
  expect(log).toEqual(begins.flatMap((begin) => [begin, begin.replace("begins", "ends")]));
});

it("is free again when the process that holds it is killed", async () => {
  const file = join(folder, "lock");
  const child = await holder(file);
  let onWait = () => {};
  const waited = new Promise<void>((resolve) => {
    onWait = resolve;
  });
  let killed = false;
  const taken = withLock(
    file,
    async () => {
      expect(killed).toBe(true);
      return "taken";
    },
    { retryMs: 5, onWait },
  );
  await waited;
  killed = true;
  child.kill("SIGKILL");
  await expect(taken).resolves.toBe("taken");
});

it("is free again when the work fails", async () => {
  const file = join(folder, "lock");
  await expect(withLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(withLock(file, async () => 1)).resolves.toBe(1);
});
