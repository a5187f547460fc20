import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { crashProgram } from "./fixtures/crash-program.ts";
import { startCrashingProxy } from "./fixtures/crashing-proxy.ts";
import { type LiveObject, usePlace } from "./fixtures/test-stack.ts";
import { directoryState, isUnchanged } from "./index.ts";

const place = usePlace();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "engine-crash-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const stackAt = (revision: number) =>
  place.stack(crashProgram(place.namespace, revision), { state: directoryState(directory) });

/** Runs an up in a process of its own, which is killed at a write; answers whether it came to that. */
async function upKilledAt(revision: number, at: number, when: "before" | "after"): Promise<boolean> {
  let killed = false;
  let kill = () => {};
  const { kubeconfig } = place.cluster;
  const proxy = await startCrashingProxy({
    ...{ kubeconfig, folder: directory, at, when },
    crash: () => kill(),
  });
  const options = { kubeconfig: proxy.kubeconfig, directory, namespace: place.namespace, revision };
  const script = fileURLToPath(new URL("./fixtures/run-up.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=source", script, JSON.stringify(options)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  kill = () => {
    killed = true;
    child.kill("SIGKILL");
  };
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [code] = await once(child, "close");
  proxy.close();
  if (!killed) expect(`${code} ${errors}`).toBe("0 ");
  return killed;
}

/** The names of the namespace's objects, made ones by their beginning. */
async function objects(): Promise<string[]> {
  const kinds = ["configmaps", "secrets", "serviceaccounts"];
  const lists = await Promise.all(kinds.map((kind) => place.get(`/api/v1/namespaces/NS/${kind}`)));
  return lists
    .flatMap((list, i) => (list?.items as LiveObject[]).map(({ metadata }) => `${kinds[i]}/${metadata.name}`))
    .map((name) => name.replace(/-[0-9a-f]{8}$/, "-*"))
    .sort();
}

const expected = {
  1: ["configmaps/deleted", "configmaps/fixed", "configmaps/made-*", "secrets/user", "serviceaccounts/group-child-*"],
  // The child keeps the name that was made for it: an alias is no reason to make the object anew.
  2: ["configmaps/created", "configmaps/fixed", "configmaps/made-*", "secrets/user", "serviceaccounts/group-child-*"],
};

async function expectFinished(revision: 1 | 2): Promise<void> {
  const up = await stackAt(revision).up();
  expect(up.diagnostics).toEqual([]);
  expect(await objects()).toEqual(expected[revision]);
  expect(isUnchanged(await stackAt(revision).up())).toBe(true);
  const { deployment } = await stackAt(revision).export();
  expect(deployment.pending_operations).toBeUndefined();
}

describe.each(["before", "after"] as const)("an up killed %s a write", (when) => {
  test("that creates, each of them in turn, is finished by the next", async () => {
    for (let at = 1; ; at++) {
      const killed = await upKilledAt(1, at, when);
      await expectFinished(1);
      if (!killed) break;
      expect((await stackAt(1).destroy()).diagnostics).toEqual([]);
      expect(await objects()).toEqual([]);
    }
  }, 240_000);

  test("that changes, each of them in turn, is finished by the next", async () => {
    for (let at = 1; ; at++) {
      expect((await stackAt(1).up()).diagnostics).toEqual([]);
      const killed = await upKilledAt(2, at, when);
      await expectFinished(2);
      if (!killed) break;
      expect((await stackAt(2).destroy()).diagnostics).toEqual([]);
    }
  }, 240_000);
});

describe("what is on the disk", () => {
  test("holds no secret in clear, not even after a crash", async () => {
    await upKilledAt(1, 4, "after");
    const folder = join(directory, "proj");
    const files = readdirSync(folder);
    expect(files).toContain("dev.json.journal");
    for (const file of files) {
      const text = readFileSync(join(folder, file), "utf8");
      expect(text).not.toContain("in-the-dark");
      expect(text).not.toContain(Buffer.from("in-the-dark").toString("base64"));
    }
    await expectFinished(1);
  }, 60_000);

  test("another's object of the same name is not taken for the one that was begun", async () => {
    const path = `/api/v1/namespaces/${place.namespace}/configmaps`;
    const theirs = { apiVersion: "v1", kind: "ConfigMap", data: { theirs: "1" } };
    for (const name of ["fixed", "deleted"]) {
      const body = { ...theirs, metadata: { name } };
      await place.cluster.request("POST", `${path}?fieldManager=someone-else`, body);
    }
    await upKilledAt(1, 1, "before");
    const pending = (await stackAt(1).export()).deployment.pending_operations ?? [];
    expect(pending.map(({ type }) => type)).toContain("creating");
    const up = await stackAt(1).up();
    expect(up.diagnostics.map(({ message }) => message.split(" exists")[0])).toEqual([
      'configmaps "fixed" already',
      'configmaps "deleted" already',
    ]);
    expect((await place.get(`${path}/fixed`))?.data).toEqual({ theirs: "1" });
  }, 60_000);
});
