import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";

it("the language host prints its port and exits when its engine closes stdin", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "127.0.0.1:1"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  expect(line).toMatch(/^\d+\n$/);
  child.stdin.end();
  expect(await exited).toEqual([1, null]);
});
