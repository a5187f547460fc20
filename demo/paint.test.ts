import { stripVTControlCharacters } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { painted, paintedPatch, paintedStatuses } from "./paint.ts";

afterEach(() => vi.unstubAllEnvs());

const all = () => [painted("bold", "a"), paintedPatch("  - b\n  + c"), paintedStatuses("64  Full")];

it("text is styled with FORCE_COLOR, and keeps its characters", () => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("FORCE_COLOR", "1");
  const [bold, patch, statuses] = all();
  expect(bold).toBe("\u001b[1ma\u001b[22m");
  expect(patch).toBe("\u001b[31m  - b\u001b[39m\n\u001b[32m  + c\u001b[39m");
  expect(stripVTControlCharacters(statuses ?? "")).toBe("64  Full");
});

it.each([{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }])("text has no styles with %j", (env) => {
  for (const name of ["NO_COLOR", "FORCE_COLOR"])
    vi.stubEnv(name, (env as Record<string, string | undefined>)[name]);
  expect(all().join("")).not.toContain("\u001b");
});
