import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../sdk/version.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { crdGroups, installCrd } from "../../testing/api/install-crds.ts";
import { upstreamCrds } from "../../testing/api/upstream-crds.ts";
import { startClusterSet } from "../../testing/clusters/cluster-set.ts";
import { examplePrograms } from "../../testing/programs/example-programs.ts";
import {
  openStack,
  type ResourceState,
  type StackExport,
  stateFolder,
} from "../../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { startStandIns } from "../../testing/stand-ins/start.ts";
import { agentgatewayBackends } from "../multi-cluster/agentgateway-backends.fixture.ts";
import {
  type RecordedStack,
  readStacks,
  recordedVersions,
  stackName,
  writeStacks,
} from "./recorded-stacks.ts";

/**
 * `npm run tool test/upgrade/record`: deploys every example on embedded clusters with stand-ins for controllers, and records the
 * states in `recorded/<version>.json.gz`. It takes four minutes.
 *
 * Run it for each release, and commit the file. If the version restarts engines, delete the files of earlier versions.
 *
 * `npm run tool test/upgrade/record -- examples/lora` records only the named examples again. Run it after an edit of an example,
 * because the test cannot distinguish it from an edit of the library. Between releases, do not record an edit of the
 * library: the test fails because the edit replaces objects of users or restarts their GPUs.
 */
const names = process.argv.slice(2);
const platform = "examples/platform";
const ofSeveralClusters = ["examples/multi-cluster-endpoint", "examples/multi-cluster-parent/set"];
/** Each of them needs the outputs of the first one. */
const teams = ["platform", "chat-team", "games-team"].map(
  (each) => `examples/llm-services/${each}`,
);
/** The default gateway of this example needs CRDs of Istio. */
const ownConfig: Readonly<Record<string, Record<string, string>>> = {
  "examples/model-router": { gatewayType: "generic" },
};

const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
const folder = mkdtempSync(join(tmpdir(), "record-upgrade-"));
const states = stateFolder();
const recorded = new Map<string, RecordedStack>();
try {
  await onOneCluster(examplePrograms.filter((each) => !ofSeveralClusters.includes(each)));
  await onSeveralClusters();
} finally {
  rmSync(folder, { recursive: true });
}
const before = recordedVersions().includes(version) ? readStacks(version) : [];
const kept = names.length === 0 ? [] : before.filter(({ example }) => !names.includes(example));
const fresh = [...recorded.values()].filter(
  ({ example }) => names.length === 0 || names.includes(example),
);
const order = [platform, ...teams, ...examplePrograms];
writeStacks(
  version,
  [...kept, ...fresh].sort((a, b) => order.indexOf(a.example) - order.indexOf(b.example)),
);
console.log(`recorded ${fresh.length} examples of version ${version} at ${commit}`);

async function onOneCluster(examples: readonly string[]): Promise<void> {
  const cluster = await startCluster({ crds: await upstreamCrds(crdGroups) });
  const standIns = await startStandIns(cluster, { tickMs: 20 });
  try {
    for (const name of ["chat", "games"])
      await cluster.request("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name },
      });
    await installCrd(cluster, agentgatewayBackends);
    await record(platform, cluster.kubeconfig);
    const destroyed = [];
    for (const team of teams) destroyed.unshift(await record(team, cluster.kubeconfig));
    for (const destroy of destroyed) await destroy();
    for (const example of examples.filter((each) => ![platform, ...teams].includes(each)))
      await (await record(example, cluster.kubeconfig, ownConfig[example]))();
  } finally {
    await standIns.stop();
    await cluster.stop();
  }
}

async function onSeveralClusters(): Promise<void> {
  const namespaces = ["inference-system"];
  const set = await startClusterSet({ members: ["east", "west"], folder, namespaces });
  try {
    for (const example of ofSeveralClusters)
      await (await record(example, set.hub.kubeconfig, { kubeconfig: set.kubeconfig }))();
  } finally {
    await set.stop();
  }
}

/** Deploys an example and records its state. Returns a function that destroys it. */
async function record(
  example: string,
  kubeconfig: string,
  own: Readonly<Record<string, string>> = {},
): Promise<() => Promise<void>> {
  // The default image depends on the version, and pickers and controllers may restart for it.
  const config = { "pulumi-inference:image": "registry.example.com/pulumi-inference:1", ...own };
  const stack = openStack({
    ...{ stack: stackName, program: { dir: join(repositoryRoot, example) } },
    ...{ state: states, kubernetes: { kubeconfig }, config },
  });
  const { succeeded, diagnostics } = await stack.up();
  if (!succeeded) throw new Error(`${example}: ${JSON.stringify(diagnostics)}`);
  const { version, deployment } = await stack.export();
  const state = { version, deployment: portable(deployment) };
  // The kubeconfigs of several clusters are an argument of their providers.
  const text = JSON.stringify({ example, commit, config, state }).replaceAll(
    JSON.stringify(own.kubeconfig),
    '"{}"',
  );
  recorded.set(example, JSON.parse(text) as RecordedStack);
  console.log(`${example}: ${deployment.resources?.length} resources`);
  return async () => {
    const { diagnostics, succeeded } = await stack.destroy();
    if (!succeeded) throw new Error(`${example}: ${JSON.stringify(diagnostics)}`);
  };
}

/** Returns a state without the paths and the cluster of this machine. */
function portable({ manifest, resources = [] }: StackExport["deployment"]) {
  return {
    manifest: { ...manifest, time: "2000-01-01T00:00:00Z" },
    resources: resources.map(clean),
  };
}

function clean({ sourcePosition, created, modified, ...resource }: ResourceState): ResourceState {
  const { inputs = {}, outputs = {}, urn } = resource;
  if (urn.includes("::pulumi:providers:kubernetes::default"))
    return { ...resource, inputs: withoutCluster(inputs), outputs: withoutCluster(outputs) };
  const { managedFields, ...metadata } = (outputs.metadata ?? {}) as Record<string, unknown>;
  return managedFields === undefined
    ? resource
    : { ...resource, outputs: { ...outputs, metadata } };
}

function withoutCluster({ kubeconfig, context, ...rest }: Record<string, unknown>) {
  return rest;
}
