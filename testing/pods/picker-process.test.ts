import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

/** Whether a process runs; an ended process that its parent has not reaped does not. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

it("a picker ends with the process that started it, even if that process is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-picker-"));
  // Ignores the signals that a terminal sends.
  const program = join(folder, "program.mjs");
  writeFileSync(
    program,
    `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
     console.log('{"msg":"serving","ports":{}}'); setInterval(() => {}, 1000);`,
  );
  const parent = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `const { startPicker } = await import(${JSON.stringify(join(import.meta.dirname, "picker-process.ts"))});
       const { pid } = await startPicker({ args: [], program: ${JSON.stringify(program)} });
       process.stdout.write(String(pid)); setInterval(() => {}, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [pid] = (await once(parent.stdout, "data")) as [Buffer];
  expect(isRunning(Number(pid))).toBe(true);
  parent.kill("SIGKILL");
  while (isRunning(Number(pid))) await sleep(20);
  rmSync(folder, { recursive: true, force: true });
});
