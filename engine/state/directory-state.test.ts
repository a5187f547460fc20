import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secret } from "../property-value.ts";
import { directoryState } from "./directory-state.ts";
import type { ResourceState } from "./resource-state.ts";
import { Snapshot } from "./snapshot.ts";

const run = promisify(execFile);

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "engine-state-"));
  file = join(directory, "proj", "dev.json");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const secrets = { passphrase: () => "test" };
const resource = (name: string, more: Partial<ResourceState> = {}): ResourceState => ({
  urn: `urn:pulumi:dev::proj::a:b:C::${name}`,
  custom: true,
  type: "a:b:C",
  id: name,
  inputs: {},
  ...more,
});

/** Changes the stack's state in an operation that is never saved, as after a crash. */
async function crashed(change: (snapshot: Snapshot) => Promise<unknown>): Promise<void> {
  const state = await directoryState(directory).open("proj", "dev");
  await change(await Snapshot.open(state, secrets));
  await state.close();
}

async function restored(): Promise<Snapshot> {
  return Snapshot.read(await directoryState(directory).read("proj", "dev"), secrets);
}

test("records before a crash are kept", async () => {
  await crashed((snapshot) => snapshot.record({ put: [resource("a"), resource("b")] }));
  await crashed(async (snapshot) => {
    expect(snapshot.resources.map(({ id }) => id)).toEqual(["a", "b"]);
    await snapshot.record({ remove: [resource("a")], put: [resource("c")] });
    await snapshot.begin("creating", resource("d"));
    await snapshot.record({
      put: [resource("e")],
      end: await snapshot.begin("creating", resource("e")),
    });
  });
  const snapshot = await restored();
  expect(snapshot.resources.map(({ id }) => id)).toEqual(["b", "c", "e"]);
  expect(snapshot.pending.map(({ type, resource: { id } }) => [type, id])).toEqual([
    ["creating", "d"],
  ]);
});

test("concurrent records are all written", async () => {
  const names = Array.from({ length: 200 }, (_, i) => `r${i}`);
  await crashed((snapshot) =>
    Promise.all(names.map((name) => snapshot.record({ put: [resource(name)] }))),
  );
  expect((await restored()).resources.map(({ id }) => id)).toEqual(names);
});

test("an incomplete line is ignored", async () => {
  await crashed((snapshot) => snapshot.record({ put: [resource("a")] }));
  const journal = readFileSync(`${file}.journal`, "utf8");
  writeFileSync(`${file}.journal`, `${journal}${journal.split("\n")[1]?.slice(0, 40)}`);
  expect((await restored()).resources).toHaveLength(1);
});

test("a journal whose records are in the checkpoint is not read again", async () => {
  await crashed((snapshot) => snapshot.record({ put: [resource("a")] }));
  const journal = readFileSync(`${file}.journal`, "utf8");
  await crashed(async (snapshot) => {
    await snapshot.record({ remove: [resource("a")] });
    await snapshot.save();
  });
  // The state after a crash between the renaming of the checkpoint and the removal of the journal.
  const foldedInto = createHash("sha256").update(readFileSync(file)).digest("hex");
  for (const cut of ["", '{"entries":[{"pu']) {
    writeFileSync(`${file}.journal`, `${journal}${cut}${JSON.stringify({ foldedInto })}\n`);
    expect((await restored()).resources).toEqual([]);
  }
});

test("a completed journal is read if its checkpoint was not written", async () => {
  await crashed((snapshot) => snapshot.record({ put: [resource("a")] }));
  const end = JSON.stringify({ foldedInto: "0".repeat(64) });
  appendFileSync(`${file}.journal`, `{"entries":[{"pu${end}\n`);
  expect((await restored()).resources.map(({ id }) => id)).toEqual(["a"]);
});

test("S8: records that belong to another checkpoint are refused with an error", async () => {
  await crashed(async (snapshot) => {
    await snapshot.record({ put: [resource("a")] });
    await snapshot.save();
  });
  await crashed((snapshot) => snapshot.begin("creating", resource("b")));
  writeFileSync(file, readFileSync(file, "utf8").replace('"id": "a"', '"id": "edited"'));
  const told = /1 records .* bring the former file back, or remove the journal and refresh/;
  await expect(restored()).rejects.toThrow(told);
  await expect(directoryState(directory).open("proj", "dev")).rejects.toThrow(told);
  rmSync(`${file}.journal`);
  expect((await restored()).resources.map(({ id }) => id)).toEqual(["edited"]);
});

test("C8: a record on a full disk is not acknowledged", async () => {
  // The shell's limit on file sizes causes a short write, as a full disk does.
  const program = `
    import { directoryState } from ${JSON.stringify(join(import.meta.dirname, "directory-state.ts"))};
    const state = await directoryState(${JSON.stringify(directory)}).open("proj", "dev");
    for (let n = 0; n < 100; n++) {
      await state.append([JSON.stringify({ n, text: "x".repeat(300) })]).then(
        () => console.log(n),
        (error) => { console.error(error.code); process.exit(); },
      );
    }`;
  const { stdout, stderr } = await run("bash", [
    "-c",
    'trap \'\' XFSZ; ulimit -f 8; exec "$0" --input-type=module-typescript -e "$1"',
    process.execPath,
    program,
  ]);
  const acknowledged = stdout.trim().split("\n").map(Number);
  const { journal = [] } = (await directoryState(directory).read("proj", "dev")) ?? {};
  expect(stderr).toContain("EFBIG");
  expect(acknowledged.length).toBeGreaterThan(10);
  expect(journal.map((line) => JSON.parse(line).n).slice(0, acknowledged.length)).toEqual(
    acknowledged,
  );
});

test("a save leaves only one file", async () => {
  await crashed(async (snapshot) => {
    await snapshot.record({ put: [resource("a")] });
    await snapshot.save();
  });
  expect(readdirSync(join(directory, "proj"))).toEqual(["dev.json"]);
});

test("an operation locks the stack as long as its process runs", async () => {
  const store = directoryState(directory);
  const state = await store.open("proj", "dev");
  await expect(store.open("proj", "dev")).rejects.toThrow(
    `being changed by process ${process.pid}`,
  );
  await (await store.open("proj", "other")).close();
  await state.close();
  await (await store.open("proj", "dev")).close();
});

test("names that lead outside the folder are refused", async () => {
  await expect(directoryState(directory).open("..", "dev")).rejects.toThrow(
    "cannot name a project or stack",
  );
});

test("secrets are encrypted, and unchanged secrets stay identical byte for byte", async () => {
  const hidden = resource("a", {
    inputs: { list: [secret("in-the-dark")] },
    outputs: { token: secret({ a: secret(1) }) },
  });
  await crashed((snapshot) => snapshot.record({ put: [hidden] }));
  expect(readFileSync(`${file}.journal`, "utf8")).not.toContain("in-the-dark");
  await crashed((snapshot) => snapshot.save());
  const text = readFileSync(file, "utf8");
  expect(text).not.toContain("in-the-dark");
  expect((await restored()).resources).toEqual([hidden]);
  await crashed((snapshot) => snapshot.save());
  const ciphertexts = (from: string) => from.match(/"ciphertext": ".*"/g);
  expect(ciphertexts(readFileSync(file, "utf8"))).toEqual(ciphertexts(text));
});

test("a secret without a passphrase is refused before anything is written", async () => {
  const state = await directoryState(directory).open("proj", "dev");
  const snapshot = await Snapshot.open(state, { passphrase: () => undefined });
  await expect(
    snapshot.begin("creating", resource("a", { inputs: { a: secret(1) } })),
  ).rejects.toThrow("set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE");
  await state.close();
  expect(readdirSync(join(directory, "proj"))).toEqual([]);
});

test("a checkpoint has no references to deleted resources, and its references follow renames", async () => {
  const parent = resource("new", { aliases: [resource("old").urn] });
  const child = resource("child", {
    parent: resource("old").urn,
    dependencies: [resource("gone").urn],
    propertyDependencies: { a: [resource("old").urn, resource("gone").urn] },
  });
  await crashed(async (snapshot) => {
    await snapshot.record({ put: [child, parent] });
    await snapshot.save();
  });
  const [first, second] = (await restored()).resources;
  expect(first?.id).toBe("new");
  expect(second).toMatchObject({
    parent: parent.urn,
    dependencies: [],
    propertyDependencies: { a: [parent.urn] },
  });
});

test.each([
  ["a symbolic link", symlinkSync],
  ["a hard link", linkSync],
])("a journal that is %s is refused, and its target is unchanged", async (_what, link) => {
  const target = join(directory, "target");
  writeFileSync(target, "precious\n");
  mkdirSync(join(directory, "proj"));
  link(target, `${file}.journal`);
  const change = crashed((snapshot) => snapshot.record({ put: [resource("a")] }));
  await expect(change).rejects.toThrow(/dev\.json\.journal is .*allowed: a journal that only/);
  expect(readFileSync(target, "utf8")).toBe("precious\n");
});

test("a link that replaces a journal or the next state is not followed", async () => {
  const target = join(directory, "target");
  writeFileSync(target, "precious\n");
  const state = await directoryState(directory).open("proj", "dev");
  symlinkSync(target, `${file}.journal`);
  symlinkSync(target, `${file}.${process.pid}.tmp`);
  const snapshot = await Snapshot.open(state, secrets);
  await snapshot.record({ put: [resource("a")] });
  await snapshot.save();
  await state.close();
  expect(readFileSync(target, "utf8")).toBe("precious\n");
  expect((await restored()).resources).toHaveLength(1);
});

test.each([
  ["null", /it is null/],
  ["[]", /it is a list/],
  ["{", /not a stack state of version 3: /],
  ['{"version": 4, "deployment": {}}', /its version is 4/],
  ['{"version": 3}', /its deployment is missing/],
  ['{"version": 3, "deployment": null}', /its deployment is null/],
  ['{"version": 3, "deployment": []}', /its deployment is a list/],
  ['{"version": 3, "deployment": {"resources": null}}', /deployment\.resources is null/],
  ['{"version": 3, "deployment": {"resources": [null]}}', /deployment\.resources is a list/],
  ['{"version": 3, "deployment": {"pending_operations": {}}}', /pending_operations is {}/],
])("%s is refused as a state", async (text, reason) => {
  mkdirSync(join(directory, "proj"));
  writeFileSync(file, text);
  await expect(restored()).rejects.toThrow(reason);
  await expect(restored()).rejects.toThrow(/restore it from a pulumi stack export$/);
});
