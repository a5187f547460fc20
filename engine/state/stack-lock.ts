import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A process, told apart from every other one that ever ran: pids repeat, in containers and after restarts. */
export interface LockHolder {
  readonly pid: number;
  /** The machine since its last start, and the processes that a pid is counted among. */
  readonly location: string;
  /** When the process began, as the kernel counts; absent where the kernel does not tell. */
  readonly started?: string;
}

export interface StackLock {
  /** Fails if the lock was lost, as when this process was stopped for so long that another one took its place. */
  check(): Promise<void>;
  release(): Promise<void>;
}

const BEAT_MS = 5_000;
/** A holder elsewhere, whose process cannot be looked at, is gone after this long without a beat. */
const SILENCE_MS = 30_000;
const ROUNDS = 5;

/**
 * Keeps others out of what `file` stands for, as Pulumi's own file backend does: each contender writes a file of its
 * own name, `<file>.<id>`, and then looks for others. Of two at least one sees the other, so two never hold it at
 * once; no file is ever taken over, so nobody removes what somebody else has just made.
 *
 * @param holder who asks. Default: this process
 * @returns the lock, or who has it
 */
export async function lockStack(
  file: string,
  holder?: LockHolder,
): Promise<StackLock | { readonly heldBy: string }> {
  const self = holder ?? (await thisProcess());
  for (let round = 1; ; round++) {
    const own = await writeOwn(file, self);
    const other = await livingOther(file, own.file, self);
    if (other === undefined) return own;
    await own.release();
    // Two that began together saw each other and both withdrew; one that was there before stays.
    if (round === ROUNDS) return { heldBy: other };
    await sleep(Math.random() * 50 * round);
  }
}

async function writeOwn(
  lockFile: string,
  self: LockHolder,
): Promise<StackLock & { readonly file: string }> {
  const file = `${lockFile}.${randomUUID()}`;
  const handle = await open(file, "wx", 0o600);
  const beat = async () => void (await handle.write(JSON.stringify(self), 0));
  await beat();
  const timer = setInterval(() => beat().catch(() => undefined), BEAT_MS).unref();
  return {
    file,
    async check() {
      if ((await handle.stat()).nlink === 0) {
        throw new Error(
          `${file} was removed while this operation ran, so another one may have changed the stack; refresh before you go on`,
        );
      }
    },
    async release() {
      clearInterval(timer);
      await closeOnce(handle);
      await rm(file, { force: true });
    },
  };
}

const closeOnce = (handle: FileHandle) => handle.close().catch(() => undefined);

/** Who else holds the lock; files of those that are gone are removed on the way. */
async function livingOther(
  lockFile: string,
  own: string,
  self: LockHolder,
): Promise<string | undefined> {
  const prefix = `${basename(lockFile)}.`;
  const names = (await readdir(dirname(lockFile))).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const file = join(dirname(lockFile), name);
    if (file === own) continue;
    const holder = await readHolder(file);
    if (holder === "gone") continue;
    if (await isAlive(file, holder, own, self)) return describe(holder, self);
    await rm(file, { force: true });
  }
  return undefined;
}

type Unread = "gone" | "unreadable";

async function readHolder(file: string): Promise<LockHolder | Unread> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as LockHolder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : "unreadable";
  }
}

/** A process of this place is looked at; of another one, and of one that is just writing its name, the last beat is. */
async function isAlive(
  file: string,
  holder: LockHolder | "unreadable",
  own: string,
  self: LockHolder,
): Promise<boolean> {
  if (holder !== "unreadable" && holder.location === self.location) return runs(holder);
  // Both times are of the file system, so the clocks of two machines are not compared.
  const [theirs, mine] = await Promise.all([modified(file), modified(own)]);
  return theirs !== undefined && mine !== undefined && mine - theirs < SILENCE_MS;
}

const modified = (file: string) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

async function runs({ pid, started }: LockHolder): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return started === undefined || started === (await startOf(pid));
}

const describe = (holder: LockHolder | "unreadable", self: LockHolder): string => {
  if (holder === "unreadable") return "another process";
  return holder.location === self.location
    ? `process ${holder.pid}`
    : `process ${holder.pid} of another machine or container (${holder.location})`;
};

/** This process as others can tell it from any that ran before or runs elsewhere. */
export async function thisProcess(): Promise<LockHolder> {
  const [boot, pids, started] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
    startOf(process.pid),
  ]);
  const location = [hostname(), boot.trim(), pids].filter((part) => part !== "").join(" ");
  return { pid: process.pid, location, ...(started === undefined ? {} : { started }) };
}

/** The 22nd field of /proc/<pid>/stat (proc(5)); the name before it may have spaces and brackets. */
async function startOf(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return line?.slice(line.lastIndexOf(")") + 2).split(" ")[19];
}
