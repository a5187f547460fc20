import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { checkHealth } from "../runtime/manager/health/check-health.fixture.ts";
import { planControllers } from "../sdk/plan/controllers/controllers.ts";
import { planModelRouter } from "../sdk/plan/models/model-router.ts";
import { planClusterSet } from "../sdk/plan/multi-cluster/cluster-set.ts";
import { planImportedPool } from "../sdk/plan/multi-cluster/imported-pool.ts";
import { planPool } from "../sdk/plan/pools/pool.ts";
import { ControllersSpec } from "../sdk/spec/controllers.ts";
import { parseKind } from "../sdk/validate/spec-kind.ts";
import {
  clusterSetSpecKind,
  importedPoolSpecKind,
  inferencePoolSpecKind,
  modelRouterSpecKind,
} from "../sdk/validate/spec-kinds.ts";
import { type AttachedCluster, freshNamespace } from "../testing/api/cluster.ts";
import { installCrds, installOwnCrds } from "../testing/api/install-crds.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { type PickerProcess, startRuntime } from "../testing/pods/picker-process.ts";
import { runtimeBundle } from "../testing/processes/runtime-bundle.ts";

/** Every probe and every port of a planned Deployment, asked of the program that the Deployment starts. */

interface Probe {
  readonly grpc: { readonly port: number; readonly service?: string };
}
interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly volumeMounts?: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
  readonly [probe: string]: unknown;
}
interface Deployment extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes?: ReadonlyArray<{ name: string; configMap?: { name: string } }>;
      };
    };
  };
}

/** Statuses of grpc.health.v1. */
const [serving, notServing] = [1, 2];

let cluster: AttachedCluster;
let namespace: string;
let folder: string;
let running: PickerProcess | undefined;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installCrds(cluster);
  await installOwnCrds(cluster);
}, 180_000);
afterAll(() => cluster?.detach());
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const deploymentsOf = (plan: readonly Manifest[]) =>
  plan.filter(({ kind }) => kind === "Deployment") as Deployment[];

/** Writes the files that a container mounts. `given` contains the files that no ConfigMap of the plan has. */
function mount(
  plan: readonly Manifest[],
  { spec }: Deployment,
  given: Readonly<Record<string, string>>,
): string[] {
  const { containers, volumes = [] } = spec.template.spec;
  const [{ args, volumeMounts = [] }] = containers;
  const here = (text: string) =>
    volumeMounts.reduce(
      // At the beginning of a path, not within it.
      (all, { mountPath }) =>
        all.replace(new RegExp(`(?<!\\w)${mountPath}(?=/|$)`, "gm"), join(folder, mountPath)),
      text,
    );
  for (const { name, mountPath } of volumeMounts) {
    const source = volumes.find((volume) => volume.name === name)?.configMap?.name;
    const config = plan.find(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === source,
    );
    const data = (config?.data ?? {}) as Record<string, string>;
    for (const [file, content] of Object.entries({ ...given, ...data })) {
      mkdirSync(join(folder, mountPath, file, ".."), { recursive: true });
      writeFileSync(join(folder, mountPath, file), here(content));
    }
  }
  return args.map(here);
}

/** Default ports of a program. */
async function ownPorts(program: string): Promise<Map<string, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[await runtimeBundle(), program, "--help"],
  ]);
  return new Map(
    [...stdout.matchAll(/^ +--([\w-]*port) PORT \(default (\d+)\)/gm)].map(
      ([, flag = "", port]) => [flag, Number(port)],
    ),
  );
}

/** The flags that set a port of this name. */
const portFlags: Readonly<Record<string, readonly string[]>> = {
  grpc: ["grpc-port"],
  "grpc-health": ["grpc-health-port", "health-port"],
  metrics: ["metrics-port"],
  webhook: ["port"],
};

interface Program {
  readonly title: string;
  readonly program: string;
  readonly plan: () => readonly Manifest[];
  readonly deployment?: string;
  readonly files?: () => Readonly<Record<string, string>>;
  readonly more?: readonly string[];
  /** An object that must exist before the program is ready. */
  readonly needs?: object;
  readonly needsPath?: string;
}

const pool = { apiVersion: "inference.networking.k8s.io/v1", kind: "InferencePool" };
const controllers = () => {
  const metadata = { name: "c", namespace, labels: {}, annotations: {} };
  return planControllers({ metadata, spec: ControllersSpec.parse({ podPlugins: {} }) });
};

const programs: readonly Program[] = [
  {
    title: "an endpoint picker",
    program: "endpoint-picker",
    plan: () =>
      planPool(
        parseKind(inferencePoolSpecKind, {
          metadata: { name: "pool", namespace },
          spec: { selector: { app: "m" } },
        }),
      ),
    needsPath: `/apis/${pool.apiVersion}/namespaces/NS/inferencepools`,
    needs: {
      ...pool,
      metadata: { name: "pool" },
      spec: {
        selector: { matchLabels: { app: "m" } },
        targetPorts: [{ number: 8000 }],
        endpointPickerRef: { name: "pool-epp", port: { number: 9002 } },
      },
    },
  },
  {
    title: "an endpoint picker of an import",
    program: "endpoint-picker",
    plan: () =>
      planImportedPool(
        parseKind(importedPoolSpecKind, {
          metadata: { name: "pool", namespace },
          spec: { gateway: { type: "generic" }, parentRefs: [{ name: "g" }], picker: {} },
        }),
      ),
    needsPath: "/apis/inference.networking.x-k8s.io/v1alpha1/namespaces/NS/inferencepoolimports",
    needs: {
      apiVersion: "inference.networking.x-k8s.io/v1alpha1",
      kind: "InferencePoolImport",
      metadata: { name: "pool" },
    },
  },
  {
    title: "a model router",
    program: "model-router",
    plan: () =>
      planModelRouter(
        parseKind(modelRouterSpecKind, {
          metadata: { name: "models", namespace },
          spec: { gateway: { name: "g" } },
        }),
      ),
  },
  {
    title: "the status controller",
    program: "status-controller",
    plan: controllers,
    deployment: "inference-status-controller",
    files: () => ({ token: "t" }),
  },
  {
    title: "the webhook for pod plugins",
    program: "pod-plugin-webhook",
    plan: controllers,
    deployment: "inference-pod-plugin-webhook",
  },
  {
    title: "the controller of a cluster set",
    program: "multi-cluster-controller",
    plan: () =>
      planClusterSet(
        parseKind(clusterSetSpecKind, {
          metadata: { name: "set", namespace },
          spec: { members: [{ name: "east", kubeconfigSecret: "east" }] },
        }),
      ),
    files: () => ({ "east/kubeconfig": readFileSync(cluster.kubeconfig, "utf8") }),
  },
];

describe.each(programs)("$title", ({ program, plan, deployment, files, needs, needsPath }) => {
  it(`${program} passes each probe of its Deployment and listens on the Deployment's ports`, async () => {
    namespace = await freshNamespace(cluster, "probes");
    folder = mkdtempSync(join(tmpdir(), "probes-"));
    const planned = plan();
    const found = deploymentsOf(planned).find(
      ({ metadata }) => deployment === undefined || metadata.name === deployment,
    );
    if (found === undefined) throw new Error(`no Deployment for ${program}`);
    const [container] = found.spec.template.spec.containers;
    const flagOf = async (name: string) => {
      const ports = await ownPorts(program);
      return portFlags[name]?.find((flag) => ports.has(flag)) ?? name;
    };

    const args = mount(planned, found, files?.() ?? {});
    const free: string[] = [];
    for (const { name, containerPort } of container.ports) {
      const flag = await flagOf(name);
      const own = (await ownPorts(program)).get(flag);
      const said = args.find((arg) => arg.startsWith(`--${flag}=`))?.split("=")[1];
      expect(`${name} ${said ?? own}`).toBe(`${name} ${containerPort}`);
      free.push(`--${flag}=0`);
    }
    const [first = "", ...rest] = args;
    running = await startRuntime(program, {
      args: [...(first === program ? rest : args), ...free],
      env: { KUBECONFIG: cluster.kubeconfig, NAMESPACE: namespace },
    });

    const health = container.ports.find(({ name }) => name === "grpc-health")?.containerPort;
    const probe = (kind: string) => container[kind] as Probe | undefined;
    for (const kind of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      expect(probe(kind)?.grpc.port ?? health).toBe(health);
    }
    const ask = (kind: string) =>
      checkHealth(running?.ports.health ?? 0, probe(kind)?.grpc.service ?? "");
    await expect.poll(() => ask("livenessProbe")).toBe(serving);
    if (needs !== undefined && needsPath !== undefined) {
      expect(await ask("readinessProbe")).toBe(notServing);
      expect(await ask("livenessProbe")).toBe(serving);
      await cluster.request("POST", needsPath.replace("NS", namespace), needs);
    }
    await expect.poll(() => ask("readinessProbe")).toBe(serving);
    expect(container.livenessProbe).toBeDefined();
    expect(container.readinessProbe).toBeDefined();
  });
});
