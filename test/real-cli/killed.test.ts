import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { commandLine, descendantIds } from "../../testing/processes/descendants.ts";
import { missingPulumi } from "../../testing/programs/pulumi-programs.ts";
import { vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { oneServiceStack } from "./one-service.ts";

/** A CLI that is killed: its plugins and its program must not stay on the machine. */

let folder: string;
let cluster: AttachedCluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  cluster = await sharedCluster();
}, 1_800_000);
afterAll(() => {
  cluster?.detach();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Parts of the command lines of the language host, its program and the provider. */
const parts = ["pulumi-language-nodejs", "@pulumi/pulumi/cmd/run", "pulumi-resource-kubernetes"];

// The published provider may take five minutes to end.
it.skipIf(missingPulumi().length === 0)(
  "plugins and program end if the CLI is killed",
  async () => {
    const namespace = await freshNamespace(cluster, "killed");
    let cli = 0;
    const { run, write } = await oneServiceStack({
      ...{ stack: "killed", folder, kubeconfig: cluster.kubeconfig },
      onStart: (pid) => {
        cli = pid;
      },
    });
    const roles = [worker({ replicas: 1, template: vllmTemplate(8) })];
    write({ args: { metadata: { name: "svc", namespace }, roles } });

    const ended = run("up", "--yes", "--skip-preview").catch((error: Error) => error);
    const running = () => descendantIds(cli).map(commandLine);
    const startedParts = () =>
      parts.filter((part) => running().some((line) => line.includes(part)));
    await expect.poll(startedParts, { timeout: 120_000, interval: 10 }).toEqual(parts);
    const plugins = descendantIds(cli);
    process.kill(cli, "SIGKILL");
    expect(await ended).toBeInstanceOf(Error);
    const left = () => plugins.map(commandLine).filter((line) => line !== "");
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  },
);
