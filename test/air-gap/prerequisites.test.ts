import { expect, it } from "vitest";
import { prerequisiteObjects } from "../../scripts/prerequisites/objects.ts";
import { manifestsOfPrerequisite } from "../../sdk/platform/manifests.ts";
import { prerequisiteNames } from "../../sdk/platform/prerequisites.ts";

it("the packed manifests are the manifests of the pinned Go modules; npm run tool prerequisites", async () => {
  const built = await prerequisiteObjects();
  for (const name of prerequisiteNames)
    expect(manifestsOfPrerequisite(name), name).toEqual(built[name]);
}, 300_000);
