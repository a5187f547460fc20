import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claimPodNetwork } from "./pod-addresses.ts";

it("kubelets that run together have different networks, in any process and cluster", async () => {
  const first = await claimPodNetwork();
  const second = await claimPodNetwork();
  // A process that begins its search where this one does.
  const module = join(import.meta.dirname, "pod-addresses.ts");
  const program = `
    Object.defineProperty(process, "pid", { value: ${process.pid} });
    const { claimPodNetwork } = await import(${JSON.stringify(module)});
    process.stdout.write((await claimPodNetwork()).prefix);
    setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [theirs] = (await once(other.stdout, "data")) as [Buffer];
  expect(new Set([first.prefix, second.prefix, String(theirs)]).size).toBe(3);

  other.kill("SIGKILL");
  await once(other, "exit");
  const third = await claimPodNetwork();
  expect(third.prefix).toBe(String(theirs));
  await Promise.all([first, second, third].map((network) => network.release()));
});

it("each address is assigned once", async () => {
  const network = await claimPodNetwork();
  const { prefix } = network;
  const taken = new Set([`${prefix}.0.2`]);
  expect([network.next(taken), network.next(taken)]).toEqual([`${prefix}.0.1`, `${prefix}.0.3`]);
  await network.release();
});
