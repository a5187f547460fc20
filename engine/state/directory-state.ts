import { createHash } from "node:crypto";
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Checkpoint } from "./checkpoint.ts";
import {
  type StackStateFile,
  type StateStore,
  type StoredState,
  stackIsBusy,
} from "./state-store.ts";

/**
 * States as files `<directory>/<project>/<stack>.json`, each as `pulumi stack export` prints it. During an operation
 * `<stack>.json.journal` holds what happened since, a line for each event, so that recording a step costs the same
 * in a stack of ten resources and of ten thousand; the next operation reads both.
 */
export function directoryState(directory: string): StateStore {
  const fileOf = (project: string, stack: string) =>
    join(directory, safeName(project), `${safeName(stack)}.json`);
  return {
    async open(project, stack) {
      const file = fileOf(project, stack);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const unlock = await lock(`${file}.lock`, project, stack);
      try {
        return await openFile(file, unlock);
      } catch (error) {
        await unlock();
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

async function openFile(file: string, unlock: () => Promise<void>): Promise<StackStateFile> {
  const { base, ...stored } = await readState(file);
  let text = base;
  let journal: Journal | undefined;
  return {
    stored,
    async append(lines) {
      journal ??= startJournal(`${file}.journal`, text);
      await journal.append(lines);
    },
    async replace(checkpoint) {
      await journal?.close();
      journal = undefined;
      text = `${JSON.stringify(checkpoint, null, 2)}\n`;
      await writeAtomically(file, text);
      // A journal that is left behind names the former checkpoint and so is not read again.
      await rm(`${file}.journal`, { force: true });
    },
    async close() {
      await journal?.close();
      await unlock();
    },
  };
}

async function readState(file: string): Promise<StoredState & { base: string }> {
  const base = (await readIfPresent(file)) ?? "";
  const [head, ...lines] = ((await readIfPresent(`${file}.journal`)) ?? "").split("\n");
  // What follows the last newline was cut short by a crash and never acknowledged.
  lines.pop();
  return {
    base,
    checkpoint: base === "" ? undefined : parseCheckpoint(file, base),
    journal: head === journalHead(base) ? lines : [],
  };
}

function parseCheckpoint(file: string, text: string): Checkpoint {
  const value = JSON.parse(text) as Checkpoint;
  if (value.version !== 3 || typeof value.deployment !== "object") {
    throw new Error(
      `${file} is no stack state of version 3; restore it from a pulumi stack export`,
    );
  }
  return value;
}

function journalHead(base: string): string {
  return JSON.stringify({ after: createHash("sha256").update(base).digest("hex") });
}

interface Journal {
  append(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Begins an empty journal. Lines that arrive while others are being written go to the disk together. */
function startJournal(file: string, base: string): Journal {
  let waiting = [journalHead(base)];
  let handle: FileHandle | undefined;
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const write = async () => {
    handle ??= await open(file, "w", 0o600);
    const text = `${waiting.join("\n")}\n`;
    waiting = [];
    await handle.write(text);
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
  const handle = await open(temporary, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

/** A lock file names the process that holds it; one whose process is gone counts for nothing. */
async function lock(file: string, project: string, stack: string): Promise<() => Promise<void>> {
  const own = `${file}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    for (;;) {
      try {
        // A link appears with its content; a file that is opened to be written is empty at first.
        await link(own, file);
        return () => rm(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = Number((await readIfPresent(file)) ?? Number.NaN);
      if (isRunning(holder)) throw stackIsBusy(project, stack, `process ${holder}`);
      await rm(file, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
