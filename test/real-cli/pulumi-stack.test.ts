import { existsSync } from "node:fs";
import * as k8s from "@pulumi/kubernetes";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { descendants } from "../../testing/processes/descendants.ts";
import { isUnchanged } from "../../testing/programs/operation-result.ts";
import { openStack, type StackOptions } from "../../testing/programs/pulumi-stack.ts";

/** The tool by which tests run functions under the Pulumi CLI. */

let cluster: AttachedCluster;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
});
beforeEach(async () => {
  namespace = await freshNamespace(cluster, "stack");
});
afterAll(() => cluster?.detach());

const stackOf = (run: () => Promise<unknown>, options: Partial<StackOptions> = {}) =>
  openStack({
    ...{ project: "p", stack: "s", program: { run } },
    kubernetes: { kubeconfig: cluster.kubeconfig },
    ...options,
  });
const configMap = (name: string, data: Record<string, string> = {}) =>
  new k8s.core.v1.ConfigMap(name, { metadata: { name, namespace }, data });

it("an update has the steps, outputs and secrets of its program", async () => {
  const stack = stackOf(
    async () => ({
      name: configMap("a").metadata.name,
      token: (await import("@pulumi/pulumi")).secret("t"),
    }),
    { secretConfig: { key: "value" } },
  );
  const { succeeded, steps, summary, outputs, diagnostics } = await stack.up();
  expect({ succeeded, summary, diagnostics }).toEqual({
    ...{ succeeded: true, summary: { create: 2 }, diagnostics: [] },
  });
  expect(steps.map(({ operation, name }) => `${operation} ${name}`)).toEqual([
    "create a",
    "create p-s",
  ]);
  expect(outputs).toEqual({
    name: { value: "a", secret: false },
    token: { value: "[secret]", secret: true },
  });
  expect(isUnchanged(await stack.up())).toBe(true);
  expect((await stack.destroy()).summary).toEqual({ delete: 2 });
});

it("a replacement is one step, which reports its order", async () => {
  let replaced = false;
  const stack = stackOf(async () => {
    new k8s.core.v1.Secret("s", {
      metadata: { name: "s", namespace },
      type: replaced ? "example.com/b" : "example.com/a",
    });
  });
  await stack.up();
  replaced = true;
  const { steps, summary } = await stack.up();
  expect(steps.find(({ name }) => name === "s")).toMatchObject({
    ...{ operation: "replace", deleteBeforeReplace: true },
  });
  expect(summary).toEqual({ replace: 1, same: 1 });
});

it("a refresh reports objects that changed and objects that are gone", async () => {
  const stack = stackOf(async () => {
    for (const name of ["same", "changed", "gone"]) configMap(name, { key: "1" });
  });
  await stack.up();
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  await cluster.request("PATCH", `${maps}/changed`, { data: { key: "2" } }, mergePatchType);
  await cluster.request("DELETE", `${maps}/gone`);
  const refreshed = await stack.refresh();
  expect(refreshed).toMatchObject({ succeeded: true, summary: { same: 2, update: 1, delete: 1 } });
  expect(isUnchanged(refreshed)).toBe(false);
});

describe("failures", () => {
  it("an error of the program fails the operation, with its message and no step of the program", async () => {
    const result = await stackOf(async () => {
      throw new Error("no such model");
    }).up();
    expect(result.succeeded).toBe(false);
    expect(result.diagnostics.map(({ message }) => message).join()).toContain("no such model");
  });

  it("a resource that fails is a failed step", async () => {
    const run = async () =>
      void new k8s.core.v1.ConfigMap("b", { metadata: { name: "B!", namespace } });
    const { succeeded, summary, diagnostics } = await stackOf(run).up();
    expect({ succeeded, failed: summary.failed }).toEqual({ succeeded: false, failed: 1 });
    expect(diagnostics.map(({ message }) => message).join()).toContain("Invalid value");
  });

  it("a stack without a cluster fails, whatever the user's kubeconfig is", async () => {
    const { succeeded } = await stackOf(async () => void configMap("c"), {
      kubernetes: undefined,
    }).up();
    expect(succeeded).toBe(false);
  });

  it("a killed operation fails, and leaves no process", async () => {
    const stack = stackOf(async () => {
      configMap("d");
      await new Promise((resolve) => setTimeout(resolve, 2000));
    });
    const ended = stack.up();
    await expect
      .poll(() => descendants(process.pid).join("\n"))
      .toContain("pulumi-resource-kubernetes");
    stack.kill();
    const { succeeded, diagnostics } = await ended;
    expect(succeeded).toBe(false);
    expect(diagnostics.map(({ severity }) => severity)).toContain("error");
    expect(descendants(process.pid).join("\n")).not.toContain("pulumi");
    await stack.cancel();
    expect((await stack.up()).succeeded).toBe(true);
  });
});

it("stacks of one process run at a time, each with its errors", async () => {
  const results = await Promise.all(
    ["x", "y", "z"].map((name) => stackOf(async () => void configMap(name), { stack: name }).up()),
  );
  expect(results.map(({ summary }) => summary)).toEqual(Array(3).fill({ create: 2 }));
  expect(existsSync(`${process.env.HOME}/.pulumi/workspaces/p`)).toBe(false);
});
