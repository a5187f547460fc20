import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { usePlace } from "../fixtures/test-stack.ts";
import {
  type EngineEvent,
  isUnchanged,
  loadProject,
  openStack,
  type StackOptions,
} from "../index.ts";

const place = usePlace();
const dir = fileURLToPath(new URL("../fixtures/programs/config-maps", import.meta.url));

async function stackOf(
  options: Partial<StackOptions> & { settings?: Record<string, string> } = {},
) {
  const { settings, ...rest } = options;
  return openStack({
    ...(await loadProject(dir, "dev")),
    config: { namespace: place.namespace, count: "2", ...settings },
    secretConfig: { token: "s3cr3t" },
    state: place.state,
    kubernetes: { kubeconfig: place.cluster.kubeconfig },
    passphrase: () => "test",
    ...rest,
  });
}

describe("a project in a process of its own", () => {
  test("is created, unchanged by a second up, and deleted", async () => {
    const events: EngineEvent[] = [];
    const stack = await stackOf({ onEvent: (event) => events.push(event) });
    const preview = await stack.preview();
    expect(preview.diagnostics).toEqual([]);
    const up = await stack.up();
    expect(up.diagnostics).toEqual([]);
    expect(up.summary).toEqual({ create: 6 });
    expect(up.outputs).toEqual({
      names: { value: ["map-0", "map-1"], secret: false },
      secretToken: { value: "s3cr3t", secret: true },
    });
    const urns = (steps: typeof up.steps) =>
      steps.map(({ urn, operation }) => `${operation} ${urn}`).sort();
    expect(urns(preview.steps)).toEqual(urns(up.steps));
    expect(events).toContainEqual({
      kind: "program-output",
      stream: "stdout",
      text: "the program ran with [secret]\n",
    });
    const exported = JSON.stringify(await stack.export());
    expect(exported).not.toContain("s3cr3t");
    expect(exported).not.toContain(Buffer.from("s3cr3t").toString("base64"));
    expect(JSON.stringify(events)).not.toContain("s3cr3t");

    expect(isUnchanged(await stack.up())).toBe(true);
    expect((await stack.destroy()).summary).toEqual({ delete: 6 });
  });

  test("receives the failure of a resource, and continues with the others", async () => {
    const up = await (await stackOf({ settings: { bad: "true" } })).up();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics.map(({ urn }) => urn?.split("::").at(-1))).toEqual(["bad"]);
    expect(up.summary).toMatchObject({ create: 6, failed: 1 });
  });

  test("an error that the program throws is reported", async () => {
    const up = await (await stackOf({ settings: { throws: "true" } })).up();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics.map(({ message }) => message).join()).toContain("thrown by the program");
  });

  test("a program that cannot start is reported", async () => {
    const stack = await stackOf({ program: { dir, env: { NODE_OPTIONS: "--no-such-option" } } });
    const up = await stack.up();
    expect(up.diagnostics[0]?.message).toMatch(/ended with exit code \d+/);
  });
});
