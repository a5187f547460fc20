import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { impactOf } from "../../sdk/impact/impact.ts";
import { readPreview } from "../../sdk/impact/preview.ts";
import { version } from "../../sdk/version.ts";
import { installCrd } from "../../testing/api/install-crds.ts";
import { startClusterSet, type TestClusterSet } from "../../testing/clusters/cluster-set.ts";
import { pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { agentgatewayBackends } from "../multi-cluster/agentgateway-backends.fixture.ts";
import { readStacks, stackName } from "../upgrade/recorded-stacks.ts";
import { recordedObjects } from "./recorded-objects.ts";

/** The recorded examples, upgraded by the Pulumi CLI. Controllers and kubelets are STAND-INS. */

let folder: string;
let set: TestClusterSet;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  set = await startClusterSet({
    members: ["east", "west"],
    folder,
    namespaces: ["inference-system", "chat", "games"],
  });
  await installCrd(set.hub, agentgatewayBackends);
}, 1_800_000);
afterAll(async () => {
  await set?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it.each(readStacks(version))(
  "the CLI replaces, deletes and restarts nothing of $example",
  async ({ example, config, state }) => {
    // Recorded providers of several clusters have the kubeconfig `{}`.
    const here = (recorded: object) =>
      JSON.stringify(recorded).replaceAll('"{}"', JSON.stringify(set.kubeconfig));
    const objects = recordedObjects(state, set);
    await objects.create();
    const created = await objects.uids();
    const run = await pulumiStack({
      project: join(repositoryRoot, example),
      ...{ stack: stackName, folder, kubeconfig: set.hub.kubeconfig },
      config: JSON.parse(here(config)) as Record<string, string>,
    });
    const file = join(folder, "state.json");
    writeFileSync(file, here(state));
    await run("stack", "import", "--file", file);

    const changes = readPreview(await run("preview", "--json", "--show-sames"));
    const lost = changes.filter(({ operation }) => ["replace", "delete"].includes(operation));
    expect(lost).toEqual([]);
    expect(impactOf(changes).services.flatMap(({ restarted }) => restarted)).toEqual([]);
    await run("up", "--yes", "--skip-preview");
    expect(await objects.uids()).toEqual(created);
    await objects.remove();
  },
);
