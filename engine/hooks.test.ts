import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, test } from "vitest";
import { usePlace } from "./fixtures/test-stack.ts";

const place = usePlace();

let calls: string[];
beforeEach(() => {
  calls = [];
});

const noted = (name: string, opts: pulumi.ResourceHookOptions = {}, fails = false) =>
  new pulumi.ResourceHook(
    name,
    async ({ oldInputs, newInputs, newOutputs }) => {
      const note = (values: Record<string, { annotations?: { note?: string } }> | undefined) =>
        values?.metadata?.annotations?.note ?? "-";
      calls.push(`${name} ${note(oldInputs)} ${note(newInputs)} ${note(newOutputs)}`);
      if (fails) throw new Error("the hook refuses");
    },
    opts,
  );

const account = (name: string, note: string, hooks: pulumi.ResourceHookBinding) =>
  new k8s.core.v1.ServiceAccount(
    name,
    { metadata: { name, namespace: place.namespace, annotations: { note } } },
    { hooks },
  );

test("hooks run before and after a create and an update, and not if nothing changes", async () => {
  let note = "1";
  const stack = place.stack(async () => {
    account("a", note, {
      beforeCreate: [noted("before-create")],
      afterCreate: [noted("after-create")],
      beforeUpdate: [noted("before-update")],
      afterUpdate: [noted("after-update")],
    });
  });
  expect((await stack.up()).succeeded).toBe(true);
  expect(calls.splice(0)).toEqual(["before-create - 1 -", "after-create - 1 1"]);
  expect((await stack.up()).succeeded).toBe(true);
  expect(calls).toEqual([]);
  note = "2";
  expect((await stack.up()).succeeded).toBe(true);
  expect(calls).toEqual(["before-update 1 2 -", "after-update 1 2 2"]);
});

test("a component runs its hooks before its first registration and before changed inputs", async () => {
  let note = "1";
  const stack = place.stack(async () => {
    new pulumi.ComponentResource(
      "p:index:Part",
      "part",
      { metadata: { annotations: { note } } },
      { hooks: { beforeCreate: [noted("create")], beforeUpdate: [noted("update")] } },
    );
  });
  expect((await stack.up()).succeeded).toBe(true);
  expect(calls.splice(0)).toEqual(["create - 1 -"]);
  expect((await stack.up()).succeeded).toBe(true);
  expect(calls).toEqual([]);
  note = "2";
  expect((await stack.up()).succeeded).toBe(true);
  expect(calls).toEqual(["update 1 2 -"]);
});

test("a preview runs only hooks that ask for it", async () => {
  const stack = place.stack(async () => {
    account("a", "1", { beforeCreate: [noted("quiet"), noted("dry", { onDryRun: true })] });
  });
  expect((await stack.preview()).succeeded).toBe(true);
  expect(calls).toEqual(["dry - 1 -"]);
});

test("a hook that fails before a create stops it, and one that ignores errors warns", async () => {
  const up = await place
    .stack(async () => {
      account("refused", "1", { beforeCreate: [noted("strict", {}, true)] });
      account("made", "1", { beforeCreate: [noted("lenient", { ignoreErrors: true }, true)] });
    })
    .up();
  expect(up.succeeded).toBe(false);
  expect(up.diagnostics.map(({ severity, message }) => `${severity}: ${message}`).sort()).toEqual([
    "error: the hook refuses",
    "warning: the hook refuses",
  ]);
  expect(place.writes()).toEqual(["create serviceaccounts"]);
});
