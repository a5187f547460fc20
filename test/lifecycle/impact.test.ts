import { afterAll, beforeAll, expect, it } from "vitest";
import { impactTable } from "../../cli/impact/impact-text.ts";
import { InferenceService, type InferenceServiceArgs } from "../../components/index.ts";
import { impactOf } from "../../sdk/impact/impact.ts";
import { readPreview } from "../../sdk/impact/preview.ts";
import {
  type AttachedCluster,
  freshNamespace,
  type WriteRequest,
} from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { type Base, bases, edits, type Program } from "./service-edits.ts";

/**
 * Objects that edits of a running service touch, by the writes that the API server got, and the output of
 * `pulumi-inference impact` for their previews.
 */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);
afterAll(() => cluster?.detach());

it("an edit touches only objects whose content it changes, and impact reports its effect", async () => {
  const report: string[] = [];
  for (const [title, base, program] of edits) report.push(await reportOf(title, base, program));
  await expect(report.join("\n")).toMatchFileSnapshot("impact-of-edits.txt");
}, 600_000);

async function reportOf(title: string, base: Base, edit: Program): Promise<string> {
  const namespace = await freshNamespace(cluster, "impact");
  const other = await freshNamespace(cluster, "impact");
  let current = bases[base];
  const stack = openStack({
    project: "p",
    stack: "s",
    program: {
      run: async () => {
        const { component = "svc", opts, args, otherNamespace, name = "svc", absent } = current;
        if (absent) return;
        const metadata = { name, namespace: otherNamespace ? other : namespace };
        new InferenceService(component, { metadata, ...args } as InferenceServiceArgs, opts);
      },
    },
    state: stateFolder(),
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });
  expect((await stack.up()).succeeded).toBe(true);
  current = edit;
  const impact = impactOf(readPreview(await stack.previewJson()));
  const before = cluster.writes().length;
  const up = await stack.up();
  const [failure] = up.diagnostics.filter(({ severity }) => severity === "error");
  const writes = failure
    ? [`fails: ${exists.test(failure.message) ? "an object already exists" : failure.message}`]
    : written(cluster.writes().slice(before), [namespace, other]);
  const clear = (text: string) => text.replaceAll(namespace, "ns").replaceAll(other, "other-ns");
  return [
    `## ${title} (${base})`,
    "",
    ...writes.map((write) => `  ${clear(write)}`),
    ...(writes.length > 0 ? [""] : []),
    clear(impactTable(impact, { write() {}, colour: false })),
  ].join("\n");
}

/** Error of a creation. Older providers apply the object, so fields of another manager conflict. */
const exists = /already exists|field conflict detected/;

/** Each write once. */
const written = (requests: readonly WriteRequest[], namespaces: readonly string[]): string[] =>
  [
    ...new Set(
      requests
        .filter(({ dryRun, userAgent }) => !dryRun && userAgent.startsWith("pulumi-kubernetes/"))
        .flatMap(({ verb, uri, created }) => {
          const [path = ""] = uri.split("?");
          const prefix = namespaces.find((each) => path.includes(`/namespaces/${each}/`));
          if (prefix === undefined) return [];
          return [
            `${created ? "create" : verb} ${path.split(`/namespaces/${prefix}/`)[1]} in ${prefix}`,
          ];
        }),
    ),
  ].sort();
