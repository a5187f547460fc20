import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadProject, memoryState, openStack } from "../../engine/index.ts";
import type { Manifest } from "../../sdk/index.ts";
import type { AttachedCluster } from "../harness/cluster.ts";
import { objectPath } from "../harness/object-path.ts";
import { missingPulumi, pulumiStack } from "../harness/pulumi-cli.ts";
import { readDocuments, repositoryRoot } from "../harness/repository.ts";
import { sharedCluster } from "../harness/shared-cluster.ts";

/** The examples by the Pulumi CLI and its Kubernetes provider, held against the local engine. */

let cluster: AttachedCluster;
let folder: string;
beforeAll(async () => {
  expect(missingPulumi(), "not on PATH; install the Pulumi CLI and its kubernetes plugin").toEqual(
    [],
  );
  cluster = await sharedCluster();
}, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => cluster?.detach());

interface Exported {
  deployment: { resources: Array<{ urn: string; type: string; inputs?: unknown }> };
}

/** URN and inputs of every Kubernetes resource, whoever made the state. */
const resourcesOf = ({ deployment }: Exported) =>
  deployment.resources
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map(({ urn, inputs }) => ({ urn: urn.replace("urn:pulumi:lane::", ""), inputs }))
    .sort((a, b) => a.urn.localeCompare(b.urn));

describe.each(["monolithic", "disaggregated", "multi-node", "disaggregated-multi-node"])(
  "%s",
  (example) => {
    const dir = join(repositoryRoot, "examples", example);
    const expected = readDocuments<Manifest>(`examples/${example}/expected.yaml`);

    it("comes up as expected, has nothing to do again, and goes", async () => {
      const pulumi = await pulumiStack({
        project: dir,
        stack: "lane",
        folder,
        kubeconfig: cluster.kubeconfig,
      });
      await pulumi("preview");
      await pulumi("up", "--yes", "--skip-preview");
      for (const manifest of expected) {
        expect(await cluster.request("GET", objectPath(manifest))).toMatchObject(manifest);
      }
      await pulumi("preview", "--expect-no-changes");
      await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
      const theirs = JSON.parse(await pulumi("stack", "export")) as Exported;
      await pulumi("destroy", "--yes", "--skip-preview");

      const ours = openStack({
        ...(await loadProject(dir, "lane")),
        state: memoryState(),
        kubernetes: { kubeconfig: cluster.kubeconfig },
      });
      expect((await ours.up()).diagnostics).toEqual([]);
      expect(resourcesOf((await ours.export()) as unknown as Exported)).toEqual(
        resourcesOf(theirs),
      );
      expect((await ours.destroy()).diagnostics).toEqual([]);
    });
  },
);
