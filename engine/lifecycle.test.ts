import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { mergePatchType } from "../kubernetes/api/patch-types.ts";
import { type CrashOptions, startCrashingProxy } from "../testing/proxies/crashing-proxy.ts";
import { usePlace } from "./fixtures/test-stack.ts";
import { isUnchanged, type OperationResult } from "./index.ts";

const place = usePlace();

const configMap = (
  name: string,
  data: pulumi.Input<Record<string, pulumi.Input<string>>>,
  opts?: pulumi.CustomResourceOptions,
) =>
  new k8s.core.v1.ConfigMap(name, { metadata: { name, namespace: place.namespace }, data }, opts);

const role = (name: string, resources: string[], opts?: pulumi.CustomResourceOptions) =>
  new k8s.rbac.v1.Role(
    name,
    {
      metadata: { name, namespace: place.namespace },
      rules: [{ apiGroups: [""], resources, verbs: ["get"] }],
    },
    opts,
  );

const succeeded = (result: OperationResult) => {
  expect(result.diagnostics).toEqual([]);
  expect(result.succeeded).toBe(true);
  return result;
};

const operations = ({ steps }: OperationResult) =>
  Object.fromEntries(steps.map(({ name, operation }) => [name, operation]));

describe("up", () => {
  test("a preview changes nothing, and has the same steps as the following up", async () => {
    const stack = place.stack(async () => {
      const made = configMap("a", { key: "1" });
      return { name: made.metadata.name };
    });
    const preview = succeeded(await stack.preview());
    expect(place.writes()).toEqual([]);
    expect(preview.outputs).toEqual({ name: { value: "a", secret: false } });
    const up = succeeded(await stack.up());
    expect(operations(up)).toEqual(operations(preview));
    expect(up.summary).toEqual({ create: 2 });
    expect(place.writes()).toEqual(["create configmaps"]);
  });

  test("a second up, and a refresh, write nothing", async () => {
    const stack = place.stack(async () => {
      const first = configMap("first", { key: "1" });
      new k8s.apps.v1.Deployment("app", {
        metadata: { namespace: place.namespace, annotations: { "pulumi.com/skipAwait": "true" } },
        spec: {
          selector: { matchLabels: { app: "a" } },
          template: {
            metadata: { labels: { app: "a" } },
            spec: {
              // The API server stores this quantity as 1, which does not count as a change.
              containers: [
                { name: "c", image: first.metadata.name, resources: { limits: { cpu: "1000m" } } },
              ],
            },
          },
        },
      });
    });
    succeeded(await stack.up());
    place.writes();
    expect(isUnchanged(succeeded(await stack.preview()))).toBe(true);
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    expect(isUnchanged(succeeded(await stack.refresh()))).toBe(true);
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    expect(place.writes()).toEqual([]);
  });

  test("an update removes fields that are no longer given, and keeps fields of other managers", async () => {
    let labels: Record<string, string> = { one: "1", two: "2" };
    const stack = place.stack(async () => {
      new k8s.core.v1.Service("svc", {
        metadata: {
          name: "svc",
          namespace: place.namespace,
          labels,
          annotations: { "pulumi.com/skipAwait": "true" },
        },
        spec: { selector: { app: "a" }, ports: [{ port: 80 }] },
      });
    });
    succeeded(await stack.up());
    const path = "/api/v1/namespaces/NS/services/svc";
    await place.cluster.request(
      "PATCH",
      path.replace("NS", place.namespace),
      { metadata: { labels: { theirs: "x" } } },
      mergePatchType,
    );
    labels = { one: "1" };
    const preview = succeeded(await stack.preview());
    expect(preview.steps.at(-1)).toMatchObject({
      operation: "update",
      changedPaths: ["metadata.labels.two"],
    });
    succeeded(await stack.up());
    expect((await place.get(path))?.metadata.labels).toEqual({ one: "1", theirs: "x" });
    labels = {};
    succeeded(await stack.up());
    expect((await place.get(path))?.metadata.labels).toEqual({ theirs: "x" });
  });

  test("objects are created after their dependencies and deleted before them", async () => {
    const stack = place.stack(async () => {
      const parent = new pulumi.ComponentResource("test:index:Group", "group");
      const a = configMap("a", {}, { parent });
      const b = role("b", ["pods"], { dependsOn: [a] });
      new k8s.core.v1.ServiceAccount("c", {
        metadata: { name: "c", namespace: place.namespace, annotations: { of: b.metadata.name } },
      });
    });
    succeeded(await stack.up());
    expect(place.writes()).toEqual(["create configmaps", "create roles", "create serviceaccounts"]);
    const destroyed = succeeded(await stack.destroy());
    expect(place.writes()).toEqual([
      "delete serviceaccounts/c",
      "delete roles/b",
      "delete configmaps/a",
    ]);
    expect(destroyed.summary).toEqual({ delete: 5 });
    expect((await stack.export()).deployment.resources).toEqual([]);
  });

  test("objects that are no longer in the program are deleted", async () => {
    let names = ["a", "b"];
    const stack = place.stack(async () => void names.map((name) => configMap(name, {})));
    succeeded(await stack.up());
    place.writes();
    names = ["b"];
    expect(operations(succeeded(await stack.preview()))).toMatchObject({ a: "delete", b: "same" });
    succeeded(await stack.up());
    expect(place.writes()).toEqual(["delete configmaps/a"]);
  });
});

describe("failures", () => {
  test("every failed resource is reported, independent resources are created, and nothing is deleted", async () => {
    let names = ["old", "good"];
    const stack = place.stack(async () => {
      for (const name of names) {
        const made = configMap(name, {});
        configMap(`after-${name}`, { name: made.metadata.name });
      }
    });
    succeeded(await stack.up());
    place.writes();
    names = ["good", "BAD-1", "BAD-2", "new"];
    const up = await stack.up();
    expect(up.succeeded).toBe(false);
    expect(
      up.diagnostics.map(({ severity, urn }) => [severity, urn?.split("::").at(-1)]).sort(),
    ).toEqual([
      ["error", "BAD-1"],
      ["error", "BAD-2"],
    ]);
    expect(up.diagnostics[0]?.message).toContain("must consist of lower case");
    expect(await place.get("/api/v1/namespaces/NS/configmaps/after-new")).toBeDefined();
    expect(await place.get("/api/v1/namespaces/NS/configmaps/old")).toBeDefined();
    names = ["good", "new"];
    expect(succeeded(await stack.up()).summary).toMatchObject({ delete: 2 });
  });

  test("an error of the program is reported, and created objects are kept", async () => {
    let fails = true;
    const stack = place.stack(async () => {
      const made = configMap("a", {});
      if (fails)
        made.metadata.name.apply(() => {
          throw new Error("thrown late");
        });
    });
    const up = await stack.up();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics.some(({ message }) => message.includes("thrown late"))).toBe(true);
    fails = false;
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
  });

  test("an existing object is an error with a fix", async () => {
    await place.cluster.request("POST", `/api/v1/namespaces/${place.namespace}/configmaps`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "taken" },
    });
    const up = await place.stack(async () => void configMap("taken", {})).up();
    expect(up.diagnostics[0]?.message).toMatch(
      /"taken" already exists.*add an alias.*ConfigMapPatch/,
    );
    expect(
      (await place.stack(async () => {}).export()).deployment.pending_operations,
    ).toBeUndefined();
  });

  test("a field that is not in the schema is refused, even in a preview", async () => {
    const stack = place.stack(
      async () =>
        void new k8s.core.v1.Service("svc", {
          metadata: { name: "svc", namespace: place.namespace },
          spec: { porst: [{ port: 80 }] } as k8s.types.input.core.v1.ServiceSpec,
        }),
    );
    for (const operation of [stack.preview, stack.up]) {
      const result = await operation();
      expect(result.diagnostics[0]?.message).toContain('unknown field "spec.porst"');
    }
  });

  test("two resources with the same URN are an error", async () => {
    const up = await place
      .stack(async () => {
        configMap("a", {});
        configMap("a", {});
      })
      .up();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics.map(({ message }) => message).join()).toContain("Duplicate resource URN");
  });

  test("without a cluster, a preview works and an up reports the missing cluster", async () => {
    const stack = place.stack(
      async () => {
        const made = configMap("a", {});
        return { name: made.metadata.name, uid: made.metadata.uid };
      },
      { kubernetes: undefined },
    );
    const { outputs } = succeeded(await stack.preview());
    expect(outputs).toEqual({
      name: { value: "a", secret: false },
      uid: { value: undefined, secret: false },
    });
    const up = await stack.up();
    expect(up.diagnostics[0]?.message).toContain("no cluster is chosen");
  });
});

describe("refresh", () => {
  const path = (name: string) =>
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${place.namespace}/roles/${name}`;
  const edit = (name: string) =>
    place.cluster.request(
      "PATCH",
      `${path(name)}?fieldManager=editor`,
      [{ op: "replace", path: "/rules/0/resources/0", value: "secrets" }],
      "application/json-patch+json",
    );

  test("external changes and deletions are recorded, and the next up reverts them", async () => {
    const stack = place.stack(async () => {
      const annotations = { "pulumi.com/patchForce": "true" };
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
      const { namespace } = place;
      new k8s.rbac.v1.Role("changed", {
        metadata: { name: "changed", namespace, annotations },
        rules,
      });
      role("deleted", ["pods"]);
    });
    succeeded(await stack.up());
    await edit("changed");
    await place.cluster.request("DELETE", path("deleted"));
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    const refreshed = succeeded(await stack.refresh());
    expect(operations(refreshed)).toEqual({ changed: "update", deleted: "delete" });
    const changed = refreshed.steps.find(({ name }) => name === "changed");
    expect(changed?.changedPaths).toEqual(["rules[0].resources[0]"]);
    const up = succeeded(await stack.up());
    expect(operations(up)).toMatchObject({ changed: "update", deleted: "create" });
    expect((await place.get(path("changed")))?.rules?.[0]?.resources).toEqual(["pods"]);
  });

  test("a field that another manager took over is not taken back without patchForce", async () => {
    const stack = place.stack(async () => void role("edited", ["pods"]));
    succeeded(await stack.up());
    await edit("edited");
    succeeded(await stack.refresh());
    const up = await stack.up();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics[0]?.message).toMatch(/owns .rules .*"editor".*pulumi.com\/patchForce/);
    expect((await place.get(path("edited")))?.rules?.[0]?.resources).toEqual(["secrets"]);
  });
});

describe("transports", () => {
  test("a function has the same steps over gRPC and in memory", async () => {
    const program = async () => {
      const group = new pulumi.ComponentResource("test:index:Group", "group");
      const made = configMap("a", { secret: pulumi.secret("s") }, { parent: group });
      return { name: made.metadata.name, data: made.data };
    };
    const results = [];
    for (const transport of ["memory", "grpc"] as const) {
      const stack = place.stack(program, { program: { run: program, transport } });
      results.push(succeeded(await stack.up()));
      succeeded(await stack.destroy());
    }
    const [memory, grpc] = results.map(({ steps, outputs }) => ({
      steps: steps.map(({ id, ...step }) => step),
      outputs,
    }));
    expect(grpc).toEqual(memory);
    expect(memory?.outputs.data).toEqual({ value: { secret: "s" }, secret: true });
  });
});

describe("the API server behind a proxy", () => {
  /** Runs with the kubeconfig of a proxy that intervenes at one write. */
  async function through(
    options: Omit<CrashOptions, "kubeconfig" | "folder">,
    run: (kubernetes: { kubeconfig: string }) => Promise<void>,
  ) {
    const folder = mkdtempSync(join(tmpdir(), "engine-proxy-"));
    const { kubeconfig } = place.cluster;
    const proxy = await startCrashingProxy({ ...options, kubeconfig, folder });
    try {
      await run({ kubeconfig: proxy.kubeconfig });
    } finally {
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Returns a proxy that responds to the first create with an error, although the server performed it. */
  function losingAnswers() {
    const state = { loses: false };
    const options: Omit<CrashOptions, "kubeconfig" | "folder"> = {
      at: ({ method, url }) => state.loses && method === "POST" && !url?.includes("dryRun"),
      when: "after",
      crash: (outgoing) => {
        state.loses = false;
        const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 500 };
        outgoing.writeHead(500, { "content-type": "application/json" });
        outgoing.end(JSON.stringify({ ...status, message: "etcdserver: request timed out" }));
      },
    };
    return { state, options };
  }

  test("the next up finds the object of a create whose response was an error", async () => {
    const { state, options } = losingAnswers();
    await through(options, async (kubernetes) => {
      const stack = place.stack(async () => void configMap("a", { key: "1" }), { kubernetes });
      state.loses = true;
      expect((await stack.up()).succeeded).toBe(false);
      succeeded(await stack.up());
      expect(place.writes()).toEqual(["create configmaps"]);
      expect(isUnchanged(await stack.up())).toBe(true);
    });
  });

  test("the next up deletes the old object of an interrupted replacement", async () => {
    const { state, options } = losingAnswers();
    await through(options, async (kubernetes) => {
      let revision = "1";
      const stack = place.stack(
        async () =>
          void new k8s.core.v1.ConfigMap("made", {
            metadata: { namespace: place.namespace },
            data: { revision },
          }),
        { kubernetes },
      );
      succeeded(await stack.up());
      revision = "2";
      state.loses = true;
      expect((await stack.up()).succeeded).toBe(false);
      succeeded(await stack.up());
      const { items = [] } = (await place.get("/api/v1/namespaces/NS/configmaps")) ?? {};
      const made = items.filter(({ metadata }) => metadata.name.startsWith("made-"));
      expect(made.map(({ data }) => data)).toEqual([{ revision: "2" }]);
    });
  });

  test("fields that another manager writes during a takeover still belong to that manager", async () => {
    const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles/a";
    let wasThere = false;
    const options: Omit<CrashOptions, "kubeconfig" | "folder"> = {
      at: ({ headers }) => !wasThere && /json-patch/.test(headers["content-type"] ?? ""),
      when: "before",
      crash: (_outgoing, goOn) => {
        wasThere = true;
        const body = { metadata: { labels: { theirs: "yes" } } };
        const uri = `${path.replace("NS", place.namespace)}?fieldManager=someone-else`;
        void place.cluster.request("PATCH", uri, body, mergePatchType).then(goOn, goOn);
      },
    };
    await through(options, async (kubernetes) => {
      let resource = "pods";
      const stack = place.stack(async () => void role("a", [resource]), { kubernetes });
      succeeded(await stack.up());
      resource = "secrets";
      succeeded(await stack.up());
      expect(wasThere).toBe(true);
      const { rules, metadata } = (await place.get(path)) ?? {};
      expect(rules?.[0]?.resources).toEqual(["secrets"]);
      expect(metadata?.managedFields?.map(({ manager }) => manager)).toContain("someone-else");
    });
  });

  test("a deletion does not wait for another object that took the name", async () => {
    const path = "/api/v1/namespaces/NS/configmaps/a";
    const collection = `/api/v1/namespaces/${place.namespace}/configmaps`;
    let waits = 0;
    const stack = place.stack(
      async () =>
        void new k8s.core.v1.ConfigMap(
          "a",
          { metadata: { name: "a", namespace: place.namespace, finalizers: ["example.com/held"] } },
          { customTimeouts: { delete: "10s" } },
        ),
      {
        onEvent: (event) => {
          // At that time, the next poll is some tenths of a second away.
          if (event.kind !== "status" || ++waits !== 5) return;
          const uri = `${collection}/a`;
          const free = { metadata: { finalizers: null } };
          void place.cluster
            .request("PATCH", uri, free, mergePatchType)
            .then(() => place.cluster.request("POST", collection, { metadata: { name: "a" } }));
        },
      },
    );
    succeeded(await stack.up());
    const { metadata: before } = (await place.get(path)) ?? {};
    succeeded(await stack.destroy());
    const { metadata: after } = (await place.get(path)) ?? {};
    expect(after?.uid).toBeDefined();
    expect(after?.uid).not.toBe(before?.uid);
  });
});
