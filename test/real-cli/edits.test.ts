import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { impactTable } from "../../cli/impact/impact-text.ts";
import { InferenceService, type InferenceServiceArgs } from "../../components/index.ts";
import { memoryState, openStack, previewDigest, type Stack } from "../../engine/index.ts";
import { impactOf } from "../../sdk/impact/impact.ts";
import { type ObjectChange, readPreview } from "../../sdk/impact/preview.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { findPulumi } from "../../testing/programs/pulumi-programs.ts";
import { type Base, bases, edits, type Program } from "../lifecycle/service-edits.ts";
import { type OneServiceStack, oneServiceStack, projectName } from "./one-service.ts";
import type { OneService } from "./program/index.ts";

/** Previews of the edits of `test/lifecycle/impact.test.ts` by the CLI, compared with previews by the local engine. */

interface Deployed {
  readonly namespaces: { readonly own: string; readonly other: string };
  readonly local: Stack;
  readonly cli: OneServiceStack;
  /** Program of the next preview of the local engine. */
  program: OneService;
}

let folder: string;
let cluster: AttachedCluster;
const deployed = {} as Record<Base, Deployed>;
beforeAll(async () => {
  await findPulumi();
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  cluster = await sharedCluster();
  for (const base of ["single", "pair"] as const) deployed[base] = await deploy(base);
}, 1_800_000);
afterAll(() => {
  cluster?.detach();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Deploys a program with the local engine, and imports its state into the CLI. */
async function deploy(base: Base): Promise<Deployed> {
  const namespaces = {
    own: await freshNamespace(cluster, "edits"),
    other: await freshNamespace(cluster, "edits"),
  };
  const { kubeconfig } = cluster;
  const local = openStack({
    project: projectName,
    stack: base,
    program: {
      run: async () => {
        const { component = "svc", args, opts } = deployment.program;
        if (args) new InferenceService(component, args as InferenceServiceArgs, opts);
      },
    },
    state: memoryState(),
    kubernetes: { kubeconfig },
  });
  const cli = await oneServiceStack({ stack: base, folder, kubeconfig });
  const deployment = { namespaces, local, cli, program: serviceOf(bases[base], namespaces) };
  expect((await local.up()).succeeded).toBe(true);
  const file = join(folder, `${base}.state.json`);
  writeFileSync(file, JSON.stringify(await local.export()));
  await cli.run("stack", "import", "--file", file);
  return deployment;
}

function serviceOf(
  { component, opts, args, otherNamespace, name = "svc", absent }: Program,
  { own, other }: Deployed["namespaces"],
): OneService {
  const metadata = { name, namespace: otherNamespace ? other : own };
  return { component, opts, args: absent ? undefined : { metadata, ...args } };
}

/** Changed objects, in order of their names. */
const touched = (changes: readonly ObjectChange[]): string[] =>
  changes
    .filter(({ operation }) => operation !== "same")
    .map(({ operation, before, after, replaceReasons }) => {
      const { kind, metadata } = (after ?? before) as NonNullable<typeof after>;
      return [operation, kind, metadata.namespace, metadata.name, ...replaceReasons].join(" ");
    })
    .sort();

const impact = (changes: readonly ObjectChange[]): string =>
  impactTable(impactOf(changes), { write() {}, colour: false });

it.each(edits)(
  "the CLI previews what the local engine previews: %s (%s)",
  async (_, base, edit) => {
    const { cli, local, namespaces } = deployed[base];
    deployed[base].program = serviceOf(edit, namespaces);
    cli.write(deployed[base].program);
    const theirs = readPreview(await cli.run("preview", "--json", "--show-sames"));
    const ours = readPreview(JSON.stringify(previewDigest(await local.preview())));
    expect(touched(theirs)).toEqual(touched(ours));
    expect(impact(theirs)).toBe(impact(ours));
  },
);
