import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LockHolder, lockStack, thisProcess } from "./stack-lock.ts";

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stack-lock-"));
  file = join(directory, "dev.json.lock");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function locked(holder?: LockHolder) {
  const lock = await lockStack(file, holder);
  if ("heldBy" in lock) throw new Error(`held by ${lock.heldBy}`);
  return lock;
}

const leave = (name: string, text: string, secondsAgo = 0) => {
  const left = `${file}.${name}`;
  writeFileSync(left, text);
  const time = Date.now() / 1000 - secondsAgo;
  utimesSync(left, time, time);
};

test("only one process gets the lock, and others get its holder", async () => {
  const lock = await locked();
  await expect(lockStack(file)).resolves.toEqual({ heldBy: `process ${process.pid}` });
  await lock.check();
  await lock.release();
  await (await locked()).release();
  expect(readdirSync(directory)).toEqual([]);
});

test("C7: a process that has ended holds no lock, even if another process has its pid now", async () => {
  const self = await thisProcess();
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "close");
  leave("gone", JSON.stringify({ ...self, pid: gone.pid }));
  leave("pid-again", JSON.stringify({ ...self, pid: process.pid, started: "1" }));
  leave("no-process", JSON.stringify({ ...self, pid: 0 }));
  await (await locked()).release();
  expect(readdirSync(directory)).toEqual([]);
});

test("C7: a process of another container holds the lock as long as it sends heartbeats, for any pid", async () => {
  const elsewhere = { pid: 1, location: "ci-runner-7", started: "12" };
  leave("foreign", JSON.stringify(elsewhere), 20);
  await expect(lockStack(file)).resolves.toEqual({
    heldBy: "process 1 of another machine or container (ci-runner-7)",
  });
  leave("foreign", JSON.stringify(elsewhere), 31);
  await (await locked()).release();
});

test("a lock file that another process is just writing counts", async () => {
  leave("being-written", "");
  await expect(lockStack(file)).resolves.toEqual({ heldBy: "another process" });
});

test("a holder that lost the lock while it was stopped gets an error before it writes", async () => {
  const stopped = await locked({ pid: 1, location: "ci-runner-7" });
  const [name] = readdirSync(directory);
  utimesSync(join(directory, name ?? ""), 0, 0);
  const next = await locked();
  await expect(stopped.check()).rejects.toThrow(
    "was removed while this operation ran, so another one may have changed the stack",
  );
  await next.check();
  await stopped.release();
  await next.release();
});

test("C6: at most one of six processes holds the lock after a killed process left its file", async () => {
  const contend = `
    import { lockStack } from ${JSON.stringify(join(import.meta.dirname, "stack-lock.ts"))};
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    process.stdin.once("data", async () => {
      for (let held = 0; held < 3; ) {
        const lock = await lockStack(process.argv[1]);
        if ("heldBy" in lock) continue;
        appendFileSync(process.argv[2], "+");
        await sleep(3);
        appendFileSync(process.argv[2], "-");
        held++;
        await lock.release();
      }
      process.exit();
    });
    console.log("ready");`;
  leave("killed", JSON.stringify({ ...(await thisProcess()), pid: 2 ** 30 }));
  const log = join(directory, "log");
  const contenders = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module-typescript", "-e", contend, file, log], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  await Promise.all(contenders.map((child) => once(child.stdout, "data")));
  const ended = contenders.map((child) => once(child, "close"));
  for (const child of contenders) child.stdin.write("go");
  await Promise.all(ended);
  expect(readFileSync(log, "utf8")).toBe("+-".repeat(18));
  expect(readdirSync(directory)).toEqual(["log"]);
});
