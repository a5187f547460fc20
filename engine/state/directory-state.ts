import { createHash } from "node:crypto";
import {
  appendFile,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rm,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../kubernetes/values/records.ts";
import { isMap } from "../property-value.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { lockStack, type StackLock } from "./stack-lock.ts";
import {
  type StackStateFile,
  type StateStore,
  type StoredState,
  stackIsBusy,
} from "./state-store.ts";

/**
 * Returns a store of states in files `<directory>/<project>/<stack>.json`, in the format of `pulumi stack export`.
 * During an operation, each event is appended as a line to `<stack>.json.journal`, so that recording a step costs the
 * same for ten resources and for ten thousand. The next operation reads both files.
 */
export function directoryState(directory: string): StateStore {
  const fileOf = (project: string, stack: string) =>
    join(directory, safeName(project), `${safeName(stack)}.json`);
  return {
    async open(project, stack) {
      const file = fileOf(project, stack);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const lock = await lockStack(`${file}.lock`);
      if ("heldBy" in lock) throw stackIsBusy(project, stack, lock.heldBy);
      try {
        return await openFile(file, lock);
      } catch (error) {
        await lock.release();
        throw error;
      }
    },
    async read(project, stack) {
      const { checkpoint, journal } = await readState(fileOf(project, stack));
      return checkpoint === undefined && journal.length === 0 ? undefined : { checkpoint, journal };
    },
  };
}

function safeName(name: string): string {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) {
    throw new Error(
      `${JSON.stringify(name)} cannot name a project or stack; use letters, digits, "-", "_" and "."`,
    );
  }
  return name;
}

async function openFile(file: string, lock: StackLock): Promise<StackStateFile> {
  const { base, ...stored } = await readState(file);
  let text = base;
  let journal: Journal | undefined;
  return {
    stored,
    async append(lines) {
      journal ??= startJournal(`${file}.journal`, text, lock);
      await journal.append(lines);
    },
    async replace(checkpoint) {
      await lock.check();
      await journal?.close();
      journal = undefined;
      text = `${JSON.stringify(checkpoint, null, 2)}\n`;
      await endJournal(`${file}.journal`, text);
      await writeAtomically(file, text);
      await rm(`${file}.journal`, { force: true });
    },
    async close() {
      await journal?.close();
      await lock.release();
    },
  };
}

async function readState(file: string): Promise<StoredState & { base: string }> {
  const base = (await readIfPresent(file)) ?? "";
  return {
    base,
    checkpoint: base === "" ? undefined : parseCheckpoint(file, base),
    journal: linesAfter(file, base, (await readJournal(`${file}.journal`)) ?? ""),
  };
}

/** Returns the lines of a journal that are not in the checkpoint yet. */
function linesAfter(file: string, base: string, journal: string): string[] {
  const [head, ...lines] = journal.split("\n");
  // Text after the last newline is incomplete because of a crash, and was never acknowledged.
  lines.pop();
  const last = lines.at(-1) ?? "";
  const events = JOURNAL_END.test(last) ? lines.slice(0, -1) : lines;
  if (head === journalHead(base)) return events;
  // The crash was after the checkpoint was written and before its journal was removed.
  if (events.length === 0 || last.endsWith(journalEnd(base))) return [];
  throw new Error(
    `${file} was changed after an operation was stopped, and ${file}.journal has ${events.length} records of that operation that belong to the former content; bring the former file back, or remove the journal and refresh`,
  );
}

function parseCheckpoint(file: string, text: string): Checkpoint {
  const refused = (what: string) =>
    new Error(
      `${file} is not a stack state of version 3: ${what}; restore it from a pulumi stack export`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(messageOf(error));
  }
  if (!isMap(value)) throw refused(`it is ${nameOfValue(value)}, not an object`);
  const { version, deployment } = value;
  if (version !== 3) throw refused(`its version is ${JSON.stringify(version)}`);
  if (!isMap(deployment))
    throw refused(`its deployment is ${nameOfValue(deployment)}, not an object`);
  for (const field of ["resources", "pending_operations"]) {
    const list = deployment[field];
    if (list !== undefined && !(Array.isArray(list) && list.every(isMap)))
      throw refused(`its deployment.${field} is ${nameOfValue(list)}, not a list of objects`);
  }
  return value as unknown as Checkpoint;
}

function nameOfValue(value: unknown): string {
  if (value === undefined) return "missing";
  return Array.isArray(value) ? "a list" : `${JSON.stringify(value)}`.slice(0, 40);
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * A journal starts with the digest of the checkpoint that it follows, and ends with the digest of the one that
 * contains it.
 */
const journalHead = (base: string) => JSON.stringify({ after: digest(base) });
const journalEnd = (next: string) => JSON.stringify({ foldedInto: digest(next) });
/** Does not match from the start of the line: an incomplete record of a crash may precede it. */
const JOURNAL_END = /\{"foldedInto":"[0-9a-f]{64}"\}$/;

async function endJournal(file: string, next: string): Promise<void> {
  if ((await readJournal(file)) === undefined) return;
  await appendFile(file, `${journalEnd(next)}\n`, { flush: true });
}

interface Journal {
  append(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Creates an empty journal. Lines that arrive during a write are written together. */
function startJournal(file: string, base: string, lock: StackLock): Journal {
  let waiting = [journalHead(base)];
  let handle: FileHandle | undefined;
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const write = async () => {
    const text = `${waiting.join("\n")}\n`;
    waiting = [];
    await lock.check();
    handle ??= await openNew(file);
    // writeFile continues after a short write, as on a full disk; write does not.
    await handle.writeFile(text);
    await handle.datasync();
  };
  return {
    append(lines) {
      waiting.push(...lines);
      next ??= writing.then(() => {
        next = undefined;
        writing = write();
        return writing;
      });
      return next;
    },
    async close() {
      await writing.finally(() => handle?.close());
    },
  };
}

async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await openNew(temporary);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

/** Creates a new file, and deletes an existing one of that name. A link is deleted; its target is unchanged. */
async function openNew(file: string): Promise<FileHandle> {
  await rm(file, { force: true });
  return open(file, "wx", 0o600);
}

/** @throws Error for a link or a folder: writes to a journal must not reach another file */
async function readJournal(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found !== undefined && !(found.isFile() && found.nlink === 1))
    throw new Error(
      `${file} is ${found.isFile() ? "a file with several names" : "not a file of its own"}; allowed: a journal that only this stack writes. Remove it if no operation was stopped.`,
    );
  return readIfPresent(file);
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
