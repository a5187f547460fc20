import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { checkUpgrade } from "../../program-tests/index.ts";
import { version } from "../../sdk/version.ts";
import { examplePrograms } from "../../testing/programs/example-programs.ts";
import { findPulumi } from "../../testing/programs/pulumi-programs.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { readStacks, recordedVersions } from "./recorded-stacks.ts";

/**
 * Upgrades of deployed examples from the recorded versions to this checkout: the contract of docs/upgrade.md. `record.ts`
 * describes when to record an example again.
 */

it("this version is recorded, with every example", () => {
  expect(recordedVersions()).toContain(version);
  const examples = readStacks(version).map(({ example }) => example);
  expect(examples.sort()).toEqual([...examplePrograms].sort());
});

describe.each(recordedVersions())("from version %s", (recorded) => {
  beforeAll(async () => {
    vi.stubEnv("PATH", (await findPulumi()).path);
    return () => vi.unstubAllEnvs();
  });

  it.each(readStacks(recorded))(
    "the upgrade of $example replaces, deletes and restarts nothing",
    async ({ example, config, state }) => {
      const dir = join(repositoryRoot, example);
      const { replaced, deleted, restarted } = await checkUpgrade({ state, dir, config });
      expect({ replaced, deleted, restarted }).toEqual({
        replaced: [],
        deleted: [],
        restarted: [],
      });
    },
  );
});
