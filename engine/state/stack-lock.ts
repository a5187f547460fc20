import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A process, with an identity that is unique over time: pids repeat, in containers and after restarts. */
export interface LockHolder {
  readonly pid: number;
  /** The machine since its last start, and the pid namespace. */
  readonly location: string;
  /** Start time of the process, as the kernel reports it; absent if the kernel does not. */
  readonly started?: string;
}

export interface StackLock {
  /** Throws if the lock was lost, for example because this process was stopped until another one acquired the lock. */
  check(): Promise<void>;
  release(): Promise<void>;
}

const BEAT_MS = 5_000;
/** Time in ms without a heartbeat after which a holder elsewhere, whose process cannot be checked, counts as ended. */
const SILENCE_MS = 30_000;
const ROUNDS = 5;

/**
 * Locks `file`, with the same method as Pulumi's file backend: each contender writes a file with a unique name,
 * `<file>.<id>`, and then looks for other files. At least one of two contenders sees the other, so two never hold the
 * lock at the same time. No file is ever taken over, so no process can remove a file that another one has just
 * created.
 *
 * @param holder the process that requests the lock. Default: this process
 * @returns the lock, or its holder
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
    // Two that began at the same time saw each other, and both withdrew; an earlier holder stays.
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

/** Returns another holder of the lock, if there is one. Files of ended processes are removed. */
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

/**
 * Checks a process of this machine directly. For a process elsewhere, or a file that is just being written, checks the
 * last heartbeat.
 */
async function isAlive(
  file: string,
  holder: LockHolder | "unreadable",
  own: string,
  self: LockHolder,
): Promise<boolean> {
  if (holder !== "unreadable" && holder.location === self.location) return runs(holder);
  // Both times are from the file system, so that the clocks of two machines are not compared.
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

/** Returns this process, with an identity that differs from every earlier process and every process elsewhere. */
export async function thisProcess(): Promise<LockHolder> {
  const [boot, pids, started] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
    startOf(process.pid),
  ]);
  const location = [hostname(), boot.trim(), pids].filter((part) => part !== "").join(" ");
  return { pid: process.pid, location, ...(started === undefined ? {} : { started }) };
}

/** Returns the 22nd field of /proc/<pid>/stat (proc(5)). The name before it may contain spaces and brackets. */
async function startOf(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return line?.slice(line.lastIndexOf(")") + 2).split(" ")[19];
}
