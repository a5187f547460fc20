import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { memoryState, openStack } from "./index.ts";

const kubeconfig = JSON.stringify({
  ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
  ...{ users: [], contexts: [{ name: "c", context: { cluster: "c" } }] },
});

const offline = () =>
  openStack({
    ...{ project: "proj", stack: "dev", state: memoryState(), offline: true },
    program: {
      run: async () => {
        const provider = new k8s.Provider("p", { kubeconfig });
        const other = new pulumi.StackReference("organization/nowhere/dev");
        const read = k8s.core.v1.ConfigMap.get("read", "default/there", { provider });
        new k8s.core.v1.ConfigMap(
          "made",
          { data: { key: other.requireOutput("key"), of: read.data.apply(({ of }) => `${of}`) } },
          { provider },
        );
        return { host: other.getOutput("host") };
      },
    },
  });

test("an offline preview reads no cluster and no other stack: their values are unknown", async () => {
  const { diagnostics, steps, outputs } = await offline().preview();
  expect(diagnostics).toEqual([]);
  expect(steps.map(({ operation, name }) => `${operation} ${name}`)).toContain("create made");
  expect(outputs.host?.value).toBeUndefined();
});

test("an offline preview reads the values of the last operation from the state", async () => {
  const urn = "urn:pulumi:dev::proj::kubernetes:core/v1:ConfigMap::read";
  const state = memoryState();
  const file = await state.open("proj", "dev");
  const read = { urn, custom: true, external: true, type: "kubernetes:core/v1:ConfigMap" };
  const resources = [{ ...read, id: "default/there", outputs: { data: { of: "x" } } }];
  const manifest = { time: "", magic: "", version: "" };
  await file.replace({ version: 3, deployment: { manifest, resources } });
  await file.close();
  const run = async () => ({ of: k8s.core.v1.ConfigMap.get("read", "default/there").data.of });
  const stack = openStack({
    project: "proj",
    stack: "dev",
    state,
    offline: true,
    program: { run },
  });
  expect((await stack.preview()).outputs.of?.value).toBe("x");
});

test("only a preview may be offline", async () => {
  for (const operation of ["up", "refresh", "destroy"] as const)
    await expect(offline()[operation]()).rejects.toThrow("opened offline, which is for previews");
});
