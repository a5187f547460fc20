import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toUnits } from "../../kubernetes/values/quantity.ts";
import { fitTable } from "../../sdk/capacity/fit-table.ts";
import { podResources } from "../../sdk/engines/accelerators/pod-resources.ts";
import { modelFacts } from "../../sdk/engines/models/model-facts.ts";
import { EngineSettings } from "../../sdk/engines/spec/engine.ts";
import type { PodSpec } from "../../sdk/schemas/pod-template.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import {
  type Cloud,
  clouds,
  installCloudPackages,
  ownPackages,
  pinnedPackages,
  programOf,
} from "./cloud-packages.ts";
import { gpuPoolOf, untolerated, waitsFor } from "./gpu-pool.ts";
import { allocatableShare, machines } from "./machines.ts";
import type { CloudPlan, PlannedResource } from "./print-plan.ts";

/**
 * The programs of `examples/clouds` with the clouds' published SDKs: their types, and their plans with Pulumi's mocks. No
 * cloud is called.
 */

const execute = promisify(execFile);
const options = { maxBuffer: 1e8 };
let folder: string;

beforeAll(async () => {
  const packages = await installCloudPackages();
  // Node.js runs no TypeScript below node_modules, so the programs are outside.
  folder = mkdtempSync(join(tmpdir(), "clouds-"));
  symlinkSync(packages, join(folder, "node_modules"));
  for (const cloud of clouds) cpSync(programOf(cloud), join(folder, cloud), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Settings that a program requires. */
const required: Readonly<Record<Cloud, Record<string, unknown>>> = {
  gke: { "gcp:region": "us-central1", zones: ["us-central1-a", "us-central1-b"] },
  eks: { zones: ["us-east-1a", "us-east-1b"] },
  aks: { zones: ["1", "2"] },
};

/** Plans a program in a process of its own, because mocks are global. */
async function plan(cloud: Cloud, settings: Record<string, unknown> = {}): Promise<CloudPlan> {
  const project = `inference-${cloud}`;
  const config = Object.fromEntries(
    Object.entries({ ...required[cloud], ...settings }).map(([key, value]) => [
      key.includes(":") ? key : `${project}:${key}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const script = join(import.meta.dirname, "print-plan.ts");
  const program = join(folder, cloud, "index.ts");
  const args = ["--conditions=source", script, program, project, JSON.stringify(config)];
  const { stdout } = await execute(process.execPath, args, options);
  return JSON.parse(stdout);
}

it("the programs pass the type check with the clouds' packages", async () => {
  const root = JSON.parse(readFileSync(join(repositoryRoot, "tsconfig.json"), "utf8"));
  const types = [join(repositoryRoot, "node_modules/@types")];
  const compilerOptions = { ...root.compilerOptions, declaration: false, typeRoots: types };
  const include = clouds.map((cloud) => `${cloud}/index.ts`);
  const file = join(folder, "tsconfig.json");
  writeFileSync(file, JSON.stringify({ compilerOptions, include }));
  const tsc = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  await execute(process.execPath, [tsc, "-p", file], options).catch(({ stdout }) => {
    throw new Error(stdout);
  });
});

it("each program pins the versions of Pulumi's packages that this project tests with", () => {
  const { devDependencies, version } = JSON.parse(
    readFileSync(join(repositoryRoot, "package.json"), "utf8"),
  );
  const own = { ...devDependencies, "pulumi-inference": version };
  for (const cloud of clouds)
    expect(pinnedPackages(cloud)).toMatchObject(
      Object.fromEntries(ownPackages.map((name) => [name, own[name]])),
    );
});

const cases = clouds.flatMap((cloud) => [false, true].map((spot) => ({ cloud, spot })));

describe.each(cases)("$cloud, spot: $spot", ({ cloud, spot }) => {
  let planned: CloudPlan;
  let workload: PlannedResource;
  const all = (type: RegExp) => planned.resources.filter((each) => type.test(each.type));
  const one = (type: RegExp, name?: string) => {
    const found = all(type).filter((each) => name === undefined || each.name === name);
    expect(
      found.map(({ urn }) => urn),
      `${type} ${name}`,
    ).toHaveLength(1);
    return found[0] as PlannedResource;
  };
  const podSpec = () => {
    // biome-ignore lint/suspicious/noExplicitAny: inputs of a LeaderWorkerSet.
    const { spec } = workload.inputs as any;
    return spec.leaderWorkerTemplate.workerTemplate.spec as PodSpec;
  };
  beforeAll(async () => {
    planned = await plan(cloud, { spot });
    workload = one(/:LeaderWorkerSet$/);
  });

  it("creates cluster, GPU pool, prerequisites and service in this order", () => {
    const cluster = one(/^(gcp:.*:Cluster|eks:index:Cluster|azure-native:.*:ManagedCluster)$/);
    const pool = gpuPoolOf(cloud, planned).urn;
    const poolResource = planned.resources.find(({ urn }) => urn === pool) as PlannedResource;
    expect(waitsFor(planned, poolResource)).toContain(cluster.urn);
    const prerequisites = [
      ...all(/helm.sh\/v3:Release$/),
      ...all(/:Deployment$/).filter(({ name }) => name.startsWith("platform")),
      ...all(/:CustomResourceDefinitionPatch$/),
      ...all(/:PersistentVolumeClaim$/),
      ...all(/apps\/v1:Deployment$/).filter(({ name }) => name.startsWith("controllers")),
    ];
    expect(prerequisites.length).toBeGreaterThan(10);
    const before = waitsFor(planned, workload);
    for (const prerequisite of prerequisites) {
      expect(waitsFor(planned, prerequisite), prerequisite.urn).toContain(pool);
      expect(before, prerequisite.urn).toContain(prerequisite.urn);
    }
  });

  it("installs what the gateway reads before the gateway", () => {
    const gateway = one(/:Gateway$/);
    const before = waitsFor(planned, gateway);
    if (cloud === "gke") {
      expect(before).toContain(one(/:Subnetwork$/, "proxies").urn);
      return;
    }
    const istiod = one(/:Release$/, "istiod");
    expect(before).toContain(istiod.urn);
    for (const name of ["gateways.gateway", "inferencepools.inference"]) {
      const crd = `platform-customresourcedefinition-${name}.networking.k8s.io`;
      expect(waitsFor(planned, istiod)).toContain(one(/:CustomResourceDefinitionPatch$/, crd).urn);
    }
  });

  it("has a GPU node with enough CPUs, memory and GPUs for every engine pod", () => {
    const pool = gpuPoolOf(cloud, planned);
    const machine = machines[pool.machine];
    if (machine === undefined) throw new Error(`machines.ts has no ${pool.machine}`);
    const requests = podResources(podSpec());
    const of = (name: string) => toUnits(requests.get(name) ?? { nanos: 0n, format: "decimal" });
    const gpus = of("nvidia.com/gpu");
    expect(pool.gpus ?? machine.gpus).toBe(machine.gpus);
    expect(gpus).toBeGreaterThan(0);
    expect(gpus).toBeLessThanOrEqual(machine.gpus);
    expect(of("cpu")).toBeLessThanOrEqual(machine.cpus * allocatableShare);
    expect(of("memory") / 2 ** 30).toBeLessThanOrEqual(machine.memoryGiB * allocatableShare);
    // biome-ignore lint/suspicious/noExplicitAny: inputs of a LeaderWorkerSet.
    const { replicas, leaderWorkerTemplate } = (workload.inputs as any).spec;
    const pods = replicas * (leaderWorkerTemplate.size ?? 1);
    const perNode = Math.min(
      Math.floor(machine.gpus / gpus),
      Math.floor((machine.cpus * allocatableShare) / of("cpu")),
      Math.floor((machine.memoryGiB * allocatableShare * 2 ** 30) / of("memory")),
    );
    expect(pods).toBeGreaterThan(1);
    expect(pods).toBeLessThanOrEqual(pool.nodes * perNode);
  });

  it("serves a model that fits on the pool's GPUs with the context of the program", () => {
    const { accelerator } = machines[gpuPoolOf(cloud, planned).machine] ?? {};
    const source = readFileSync(join(programOf(cloud), "index.ts"), "utf8");
    const name = /huggingFace\("(.+?)"/.exec(source)?.[1] ?? "";
    expect(
      /accelerator: "([\w-]+)",\n/.exec(source.slice(source.indexOf("huggingFace(")))?.[1],
    ).toBe(accelerator);
    const args = podSpec().containers[0]?.args as string[];
    expect(args).toContain(name);
    const maxModelLen = Number(args[args.indexOf("--max-model-len") + 1]);
    const facts = modelFacts(name);
    if (facts === undefined || accelerator === undefined) throw new Error(`no facts of ${name}`);
    const settings = EngineSettings.parse({ name: "vllm", maxModelLen });
    const [row] = fitTable({ name, facts, settings, accelerators: [accelerator] });
    expect(row).toMatchObject({ fits: true, replica: { devices: 1 } });
  });

  it("engine pods and the device plugin match the pool's labels and taints", () => {
    const pool = gpuPoolOf(cloud, planned);
    const { nodeSelector = {}, tolerations = [] } = podSpec() as {
      nodeSelector?: Record<string, string>;
      tolerations?: object[];
    };
    expect(Object.keys(nodeSelector)).not.toEqual([]);
    expect(pool.labels).toMatchObject(nodeSelector);
    expect(pool.taints).toContainEqual(
      expect.objectContaining({ key: "nvidia.com/gpu", effect: "NoSchedule" }),
    );
    expect(untolerated(pool.taints, tolerations)).toEqual([]);
    if (cloud === "gke") return; // GKE installs the device plugin.
    const plugin = one(/:Release$/, "device-plugin").inputs as {
      values: { tolerations: object[] };
    };
    expect(untolerated(pool.taints, plugin.values.tolerations)).toEqual([]);
    expect(pool.labels).toMatchObject({ "nvidia.com/gpu.present": "true" });
  });

  it("the pool has the zones and the price model of the configuration", () => {
    const pool = gpuPoolOf(cloud, planned);
    expect(pool.isSpot).toBe(spot);
    expect(pool.zones).toHaveLength(2);
  });

  it("exports the URL of the service", () => {
    expect(planned.outputs).toMatchObject({ url: "http://203.0.113.7/v1" });
  });
});

describe.each(["eks", "aks"] as const)("%s", (cloud) => {
  const issuer = {
    issuer: "https://id.example.com",
    audiences: ["llm"],
    jwksUrl: "https://id.example.com/keys",
  };
  const annotationsOf = ({ resources }: CloudPlan) => {
    const gateway = resources.find(({ type }) => type.endsWith(":Gateway"));
    // biome-ignore lint/suspicious/noExplicitAny: inputs of a Gateway.
    return JSON.stringify((gateway?.inputs as any)?.spec.infrastructure ?? {});
  };

  it("has an internal load balancer by default", async () => {
    expect(annotationsOf(await plan(cloud))).toContain('load-balancer-internal":"true"');
  });

  it.each([{}, { issuer }, { certificate: "tls" }])(
    "refuses a public load balancer without an issuer and a certificate: %o",
    async (fields) => {
      await expect(plan(cloud, { public: true, ...fields })).rejects.toThrow("Set `issuer`");
    },
  );

  it("requires tokens of the issuer behind a public load balancer", async () => {
    const planned = await plan(cloud, { public: true, issuer, certificate: "tls" });
    expect(annotationsOf(planned)).not.toContain("internal");
    const types = planned.resources.map(({ type }) => type.split(":").at(-1));
    expect(types).toContain("RequestAuthentication");
    expect(types).toContain("AuthorizationPolicy");
  });
});
