import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { impactOf } from "../../sdk/impact/impact.ts";
import { readPreview } from "../../sdk/impact/preview.ts";
import { version } from "../../sdk/version.ts";
import { startClusterSet, type TestClusterSet } from "../../testing/cluster-set.ts";
import { pulumiStack } from "../../testing/pulumi-cli.ts";
import { findPulumi } from "../../testing/pulumi-programs.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { readStacks, stackName } from "../upgrade/recorded-stacks.ts";

/** The recorded examples, imported and previewed by the Pulumi CLI. The clusters do not contain their objects. */

let folder: string;
let set: TestClusterSet;
beforeAll(async () => {
  await findPulumi();
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  set = await startClusterSet({ members: ["east", "west"], folder });
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
    const run = await pulumiStack({
      project: join(repositoryRoot, example),
      ...{ stack: stackName, folder, kubeconfig: set.hub.kubeconfig },
      config: JSON.parse(here(config)) as Record<string, string>,
    });
    const file = join(folder, "state.json");
    writeFileSync(file, here(state));
    await run("stack", "import", "--file", file);
    const { services } = impactOf(readPreview(await run("preview", "--json", "--show-sames")));
    expect(services.flatMap(({ lost, restarted }) => [...lost, ...restarted])).toEqual([]);
  },
);
