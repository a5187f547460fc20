import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";

const hostOf = (language: string) => join(import.meta.dirname, `pulumi-language-${language}`);

it.each(["nodejs", "python", "go"])(
  "the language host of %s prints its port and exits when its engine closes stdin",
  async (language) => {
    const child = spawn(process.execPath, [hostOf(language), "127.0.0.1:1"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    expect(line).toMatch(/^\d+\n$/);
    child.stdin.end();
    expect(await exited).toEqual([1, null]);
  },
);
