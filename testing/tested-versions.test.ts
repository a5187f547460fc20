import { expect, it } from "vitest";
import { type PrerequisiteName, prerequisites } from "../sdk/platform/prerequisites.ts";
import { type GoModule, goModules, pinnedVersion } from "./processes/go-modules.ts";

it.each(Object.keys(prerequisites) as PrerequisiteName[])(
  "the tested version of %s is the one that go.mod pins, in every field",
  (name) => {
    const { module, version, install } = prerequisites[name];
    const pinned = (Object.keys(goModules) as GoModule[]).find(
      (each) => goModules[each] === module,
    );
    expect(pinned && pinnedVersion(pinned)).toBe(`v${version}`);
    expect(install).toContain(version);
  },
);
