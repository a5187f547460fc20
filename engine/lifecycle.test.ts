import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AttachedCluster } from "../test/harness/cluster.ts";
import { freshNamespace } from "../test/harness/cluster.ts";
import { sharedCluster } from "../test/harness/shared-cluster.ts";
import { memoryState, openStack, type StackOptions, type StateStore } from "./index.ts";

let cluster: AttachedCluster;
let namespace: string;
let state: StateStore;

beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);

beforeEach(async () => {
  namespace = await freshNamespace(cluster);
  state = memoryState();
});

function stackOf(run: () => Promise<unknown>, more: Partial<StackOptions> = {}) {
  return openStack({
    project: "proj",
    stack: "dev",
    program: { run },
    state,
    kubernetes: { kubeconfig: cluster.kubeconfig },
    passphrase: () => "test",
    ...more,
  });
}

describe("lifecycle", () => {
  test("create, same, update, delete", async () => {
    let data: Record<string, string> = { a: "1" };
    const stack = stackOf(async () => {
      const cm = new k8s.core.v1.ConfigMap("cm", { metadata: { namespace }, data });
      return { name: cm.metadata.name, uid: cm.metadata.uid };
    });
    const preview = await stack.preview();
    expect(preview.diagnostics).toEqual([]);
    console.log(preview);
    const up = await stack.up();
    console.log(up);
    expect(up.succeeded).toBe(true);
    const again = await stack.up();
    expect(again.summary).toEqual({ same: 3 });
    data = { a: "2" };
    console.log((await stack.preview()).steps);
    console.log(await stack.up());
    console.log(JSON.stringify(await stack.export(), null, 1).slice(0, 3000));
    console.log(await stack.destroy());
    void pulumi;
  });
});
