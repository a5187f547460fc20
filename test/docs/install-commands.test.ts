import { expect, it } from "vitest";
import { neededCrds } from "../../cli/doctor/check-crds.ts";
import { type GoModule, pinnedVersion } from "../../testing/processes/go-modules.ts";
import { allSnippets, place } from "./markdown.ts";

/** Pages and `doctor` recommend the versions that the tests run on. */

const installs: ReadonlyArray<readonly [module: GoModule, version: RegExp]> = [
  ["lws", /charts\/lws --version (\S+)/],
  ["volcano", /volcano-sh\S* --version (\S+)/],
  ["keda", /kedacore\S* --version (\S+)/],
  ["gateway-api", /gateway-api\/releases\/download\/(\S+?)\//],
  ["inference-extension", /gateway-api-inference-extension\/releases\/download\/(\S+?)\//],
];

const commands = [
  ...allSnippets("sh").flatMap((snippet) =>
    snippet.text.split("\n").map((text) => ({ where: place(snippet), text })),
  ),
  ...neededCrds.map(({ name, fix }) => ({ where: `doctor, ${name}`, text: fix })),
];

it.each(installs)("%s", (module, version) => {
  const found = commands.flatMap(({ where, text }) => {
    const [, written] = version.exec(text) ?? [];
    return written === undefined ? [] : [{ where, version: written.replace(/^v/, "") }];
  });
  expect(found.length).toBeGreaterThan(1);
  const pinned = pinnedVersion(module).replace(/^v/, "");
  expect(found).toEqual(found.map(({ where }) => ({ where, version: pinned })));
});

it("the install page contains the commands that doctor prints for missing CRDs", () => {
  const onPage = allSnippets("sh")
    .filter(({ page }) => page === "docs/install.md")
    .flatMap(({ text }) => text.split("\n"));
  for (const { fix } of neededCrds) expect(onPage).toContain(fix);
});
