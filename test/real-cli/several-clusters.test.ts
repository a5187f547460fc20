import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, it } from "vitest";
import type { Cluster } from "../../testing/api/api-server.ts";
import { installCrd } from "../../testing/api/install-crds.ts";
import {
  giveCertificates,
  startClusterSet,
  type TestClusterSet,
} from "../../testing/clusters/cluster-set.ts";
import { agentgatewayBackends } from "../multi-cluster/agentgateway-backends.fixture.ts";
import { type Walk, walkOf } from "./walk.ts";

/** The examples of several clusters by the Pulumi CLI, each cluster an API server; controllers and kubelets are stand-ins. */

let folder: string;
let set: TestClusterSet;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  set = await startClusterSet({
    members: ["east", "west"],
    folder,
    namespaces: ["inference-system"],
  });
}, 1_800_000);
afterAll(async () => {
  await set?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const member = (name: string) => set.members.get(name) as Cluster;

const walk = (example: string, config: Record<string, string>): Promise<Walk> => {
  const { kubeconfig } = set;
  return walkOf({ example, folder, config, kubeconfig, request: member("east").request });
};

const image = { "pulumi-inference:image": "registry.example.com/team/pulumi-inference:v1" };

it("multi-cluster-endpoint is created, does not change in a second update, and is destroyed", async () => {
  await giveCertificates(set, {
    hostname: "qwen-epp.default.svc",
    secret: "qwen-picker",
    configMap: "picker-authorities",
  });
  const stack = await walk("multi-cluster-endpoint", { ...image, kubeconfig: set.kubeconfig });
  await stack.up();
  await stack.down();
});

it("multi-cluster-parent: the set, exporter and importer, each in its cluster", async () => {
  await installCrd(member("west"), agentgatewayBackends);
  const stacks: Walk[] = [];
  for (const [name, places] of [
    ["set", { kubeconfig: set.kubeconfig }],
    ["exporter", { "kubernetes:context": "east" }],
    ["importer", { "kubernetes:context": "west" }],
  ] as const) {
    const config = { ...image, ...places };
    const stack = await walk(`multi-cluster-parent/${name}`, config);
    stacks.push(stack);
    await stack.up();
  }
  for (const stack of stacks.reverse()) await stack.down();
});
