import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

export interface LockOptions {
  /** How often a taken lock is tried again, in milliseconds. Default 500. */
  retryMs?: number;
  /** Called once, when another process holds the lock. */
  onWait?: () => void;
}

/**
 * Runs `work` while no other process runs under the same lock file.
 * The lock is SQLite's exclusive lock on an empty database: the kernel drops it with the process, however
 * that ends, so that no stale lock can be left behind.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { retryMs = 500, onWait }: LockOptions = {},
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    for (let waiting = false; !tryLock(lock); await sleep(retryMs)) {
      if (!waiting) onWait?.();
      waiting = true;
    }
    return await work();
  } finally {
    lock.close();
  }
}

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    throw error;
  }
}

/** https://sqlite.org/rescode.html#busy */
const sqliteBusy = 5;
