import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useCrashStack } from "./fixtures/crash-stack.ts";

const { place, directory, stackAt, upKilledAt, expectFinished } = useCrashStack();

describe("the state on disk", () => {
  test("contains no secret in clear text, even after a crash", async () => {
    await upKilledAt(1, 4, "after");
    const folder = join(directory(), "proj");
    const files = readdirSync(folder);
    expect(files).toContain("dev.json.journal");
    for (const file of files) {
      const text = readFileSync(join(folder, file), "utf8");
      expect(text).not.toContain("in-the-dark");
      expect(text).not.toContain(Buffer.from("in-the-dark").toString("base64"));
    }
    await expectFinished(1);
  }, 60_000);

  test("an object of another owner is not mistaken for the one that an interrupted create began", async () => {
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
    expect(up.diagnostics.map(({ message }) => message.split(" exists")[0]).sort()).toEqual([
      'configmaps "deleted" already',
      'configmaps "fixed" already',
    ]);
    expect((await place.get(`${path}/fixed`))?.data).toEqual({ theirs: "1" });
  }, 60_000);
});
