import { readFileSync } from "node:fs";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { usePlace } from "../fixtures/test-stack.ts";
import { isUnchanged, type OperationResult } from "../index.ts";

const place = usePlace();

/** Time limit for events that a test expects. */
const patient = { timeout: 30_000 };

const metadata = (name: string, annotations: Record<string, string> = {}) => ({
  ...{ name, namespace: place.namespace, annotations },
});

const succeeded = (result: OperationResult) => {
  expect(result.diagnostics).toEqual([]);
  return result;
};

/** Group of a CRD that is unique to each test, because CRDs are cluster-scoped. */
const widgetGroup = () => `${place.namespace}.example.com`;

const widgetCrd = (specProperties: Record<string, object> = { size: { type: "integer" } }) =>
  new k8s.apiextensions.v1.CustomResourceDefinition("crd", {
    metadata: { name: `widgets.${widgetGroup()}` },
    spec: {
      group: widgetGroup(),
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: specProperties },
                status: { type: "object", x_kubernetes_preserve_unknown_fields: true },
              },
            },
          },
          subresources: { status: {} },
        },
      ],
    },
  });

const widget = (
  name: string,
  spec: object,
  annotations: Record<string, string> = {},
  opts?: pulumi.CustomResourceOptions,
) =>
  new k8s.apiextensions.CustomResource(
    name,
    {
      apiVersion: `${widgetGroup()}/v1`,
      kind: "Widget",
      metadata: metadata(name, annotations),
      spec,
    },
    opts,
  );

const widgetPath = (name: string) =>
  `/apis/${widgetGroup()}/v1/namespaces/${place.namespace}/widgets/${name}`;

const setStatus = (name: string, status: object) =>
  place.cluster.request("PATCH", `${widgetPath(name)}/status`, { status }, mergePatchType);

describe("custom resources", () => {
  test("an object whose CRD is in the same program is previewed, and created once the CRD exists", async () => {
    const stack = place.stack(async () => {
      const crd = widgetCrd();
      const made = widget("w", { size: 1 }, {}, { dependsOn: [crd] });
      return { name: made.metadata.name, uid: made.metadata.uid };
    });
    const preview = succeeded(await stack.preview());
    expect(preview.outputs).toEqual({
      name: { value: "w", secret: false },
      uid: { value: undefined, secret: false },
    });
    const up = succeeded(await stack.up());
    expect(typeof up.outputs.uid?.value).toBe("string");
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    succeeded(await stack.destroy());
  });

  test("a kind without a CRD fails with a fix", async () => {
    const up = await place.stack(async () => void widget("w", { size: 1 })).up();
    expect(up.diagnostics[0]?.message).toMatch(
      /no matches for kind "Widget".*Verify that any required CRDs/,
    );
  }, 60_000);

  test("an updated CRD applies to its objects", async () => {
    let properties: Record<string, object> = { size: { type: "integer" } };
    let spec: object = { size: 1 };
    const stack = place.stack(async () => {
      const crd = widgetCrd(properties);
      widget("w", spec, {}, { dependsOn: [crd] });
    });
    succeeded(await stack.up());
    properties = { size: { type: "integer" }, colour: { type: "string" } };
    spec = { size: 1, colour: "red" };
    expect(succeeded(await stack.up()).summary).toEqual({ same: 1, update: 2 });
    expect((await place.get(widgetPath("w")))?.spec).toEqual({ size: 1, colour: "red" });
    succeeded(await stack.destroy());
  });
});

describe("waiting", () => {
  const withCrd = async (run: () => void) => {
    const crds = place.stack(async () => void widgetCrd(), { stack: "crds" });
    succeeded(await crds.up());
    return place.stack(async () => run());
  };

  test("waitFor delays the end of a create until every expression holds", async () => {
    const waitFor = JSON.stringify([
      "condition=Ready",
      'jsonpath={.status.parents[?(@.name=="a")].accepted}=true',
    ]);
    const events: string[] = [];
    await withCrd(() => {});
    const stack = place.stack(
      async () => void widget("w", { size: 1 }, { "pulumi.com/waitFor": waitFor }),
      { onEvent: (event) => event.kind === "status" && events.push(event.message) },
    );
    const up = stack.up();
    // The first message may be that the kind is not served yet.
    await expect
      .poll(() => events.at(-1), patient)
      .toContain("condition Ready=True (it is not set)");
    await setStatus("w", { conditions: [{ type: "Ready", status: "True" }] });
    await expect.poll(() => events.at(-1), patient).toContain("parents");
    await setStatus("w", { parents: [{ name: "b" }, { name: "a", accepted: true }] });
    succeeded(await up);
  });

  test("an object that is not ready in time is kept, and the next up continues to wait", async () => {
    const annotations = {
      "pulumi.com/waitFor": "condition=Ready",
      "pulumi.com/timeoutSeconds": "1",
    };
    const stack = await withCrd(() => void widget("w", { size: 1 }, annotations));
    const first = await stack.up();
    expect(first.diagnostics[0]?.message).toContain(
      "after 1 s still waiting for condition Ready=True",
    );
    expect((await stack.export()).deployment.resources?.at(-1)?.initErrors).toHaveLength(1);
    await setStatus("w", { conditions: [{ type: "Ready", status: "True" }] });
    expect(succeeded(await stack.up()).summary).toMatchObject({ update: 1 });
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
  });

  test("customTimeouts override the annotation, and skipAwait overrides waitFor", async () => {
    const slow = { "pulumi.com/waitFor": "condition=Ready", "pulumi.com/timeoutSeconds": "600" };
    const stack = await withCrd(() => {
      widget("timed", { size: 1 }, slow, { customTimeouts: { create: "1s" } });
      widget("skipped", { size: 1 }, { ...slow, "pulumi.com/skipAwait": "true" });
    });
    const up = await stack.up();
    expect(up.diagnostics).toHaveLength(1);
    expect(up.diagnostics[0]?.message).toContain("timed exists but is not ready");
  });

  test("a Deployment is awaited by default", async () => {
    const stack = place.stack(
      async () =>
        void new k8s.apps.v1.Deployment("app", {
          metadata: metadata("app"),
          spec: {
            selector: { matchLabels: { app: "a" } },
            template: {
              metadata: { labels: { app: "a" } },
              spec: { containers: [{ name: "c", image: "i" }] },
            },
          },
        }),
    );
    const up = stack.up();
    const path = `/apis/apps/v1/namespaces/${place.namespace}/deployments/app`;
    await expect.poll(() => place.get(path), patient).toBeDefined();
    const status = {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    };
    await place.cluster.request("PATCH", `${path}/status`, { status }, mergePatchType);
    succeeded(await up);
  });
});

describe("Patch resources", () => {
  test("Patch resources manage their fields in an object of another owner and release them", async () => {
    const path = `/api/v1/namespaces/${place.namespace}/configmaps`;
    await place.cluster.request("POST", path, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "theirs" },
      data: { theirs: "1" },
    });
    const stack = place.stack(
      async () =>
        void new k8s.core.v1.ConfigMapPatch("patch", {
          metadata: metadata("theirs"),
          data: { ours: "1" },
        }),
    );
    succeeded(await stack.preview());
    succeeded(await stack.up());
    expect((await place.get(`${path}/theirs`))?.data).toEqual({ theirs: "1", ours: "1" });
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    succeeded(await stack.destroy());
    expect((await place.get(`${path}/theirs`))?.data).toEqual({ theirs: "1" });
  });
});

describe("providers", () => {
  test("an explicit provider uses its kubeconfig, context and namespace", async () => {
    const kubeconfig = readFileSync(place.cluster.kubeconfig, "utf8");
    const stack = place.stack(
      async () => {
        const provider = new k8s.Provider("p", {
          kubeconfig,
          context: "harness",
          namespace: place.namespace,
        });
        const made = new k8s.core.v1.ConfigMap("a", { data: {} }, { provider });
        return { id: made.id };
      },
      { kubernetes: undefined },
    );
    succeeded(await stack.preview());
    expect(succeeded(await stack.up()).outputs.id?.value).toMatch(
      new RegExp(`^${place.namespace}/a-[0-9a-f]{8}$`),
    );
    succeeded(await stack.destroy());
  });

  test("components pass their providers to their children", async () => {
    const stack = place.stack(async () => {
      const provider = new k8s.Provider("p", {
        kubeconfig: place.cluster.kubeconfig,
        namespace: place.namespace,
      });
      const outer = new pulumi.ComponentResource(
        "test:index:Group",
        "outer",
        {},
        { providers: [provider] },
      );
      const inner = new pulumi.ComponentResource(
        "test:index:Group",
        "inner",
        {},
        { parent: outer },
      );
      const made = new k8s.core.v1.ConfigMap("a", { data: {} }, { parent: inner });
      return { namespace: made.metadata.namespace };
    });
    expect(succeeded(await stack.up()).outputs.namespace?.value).toBe(place.namespace);
  });

  test("the stack's configuration configures the default provider", async () => {
    const stack = place.stack(
      async () => {
        const made = new k8s.core.v1.ConfigMap("a", { data: {} });
        return { namespace: made.metadata.namespace };
      },
      {
        kubernetes: undefined,
        config: { "kubernetes:namespace": place.namespace },
        secretConfig: { "kubernetes:kubeconfig": readFileSync(place.cluster.kubeconfig, "utf8") },
      },
    );
    expect(succeeded(await stack.up()).outputs.namespace?.value).toBe(place.namespace);
    expect(JSON.stringify(await stack.export())).not.toContain("certificate-authority-data");
    succeeded(await stack.destroy());
  });

  test("the user's kubeconfig is not read", async () => {
    process.env.KUBECONFIG = place.cluster.kubeconfig;
    try {
      const stack = place.stack(
        async () => void new k8s.core.v1.ConfigMap("a", { metadata: metadata("a"), data: {} }),
        { kubernetes: undefined },
      );
      expect((await stack.up()).diagnostics[0]?.message).toContain("no cluster is chosen");
    } finally {
      delete process.env.KUBECONFIG;
    }
  });

  test("a missing context is reported with the existing ones", async () => {
    const { kubeconfig } = place.cluster;
    const stack = place.stack(
      async () => void new k8s.core.v1.ConfigMap("a", { metadata: metadata("a"), data: {} }),
      { kubernetes: { kubeconfig, context: "other" } },
    );
    expect((await stack.up()).diagnostics[0]?.message).toContain(
      'no context "other"; it has harness',
    );
  });

  test("a server that does not respond is reported", async () => {
    const kubeconfig = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    });
    const stack = place.stack(
      async () => void new k8s.core.v1.ConfigMap("a", { metadata: metadata("a"), data: {} }),
      { kubernetes: { kubeconfig } },
    );
    for (const operation of [stack.preview, stack.up]) {
      expect((await operation()).diagnostics[0]?.message).toContain(
        "https://127.0.0.1:1 does not answer",
      );
    }
  });
});

describe("YAML", () => {
  test("a ConfigGroup is expanded, with its objects in the given namespace", async () => {
    const yaml = [
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {flag: 'yes'}",
      "# nothing",
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two, namespace: ${place.namespace}}`,
    ].join("\n---\n");
    const stack = place.stack(async () => {
      const provider = new k8s.Provider("p", {
        kubeconfig: place.cluster.kubeconfig,
        namespace: place.namespace,
      });
      new k8s.yaml.ConfigGroup("group", { yaml }, { provider });
    });
    succeeded(await stack.up());
    const path = "/api/v1/namespaces/NS/configmaps";
    expect((await place.get(`${path}/one`))?.data).toEqual({ flag: "yes" });
    expect(await place.get(`${path}/two`)).toBeDefined();
  });
});
