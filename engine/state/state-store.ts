import type { Checkpoint } from "./checkpoint.ts";

/** Store of the states of stacks: `directoryState` or `memoryState`. */
export interface StateStore {
  /** Opens a stack's state for one operation, and locks it for other operations until it is closed. */
  open(project: string, stack: string): Promise<StackStateFile>;
  /** Returns the current state without locking it; `undefined` if the stack was never saved. */
  read(project: string, stack: string): Promise<StoredState | undefined>;
}

/** Saved checkpoint and the events recorded after it, one line of JSON each, without secrets in clear text. */
export interface StoredState {
  checkpoint: Checkpoint | undefined;
  journal: string[];
}

export interface StackStateFile {
  stored: StoredState;
  /** Appends lines to the journal. Resolves when they are on disk. */
  append(lines: readonly string[]): Promise<void>;
  /** Replaces checkpoint and journal atomically. */
  replace(checkpoint: Checkpoint): Promise<void>;
  close(): Promise<void>;
}

/** Returns a store of states in this process, for tests. Reopening a stack in the same store returns its state. */
export function memoryState(): StateStore {
  const states = new Map<string, StoredState>();
  const open = new Set<string>();
  return {
    async open(project, stack) {
      const key = JSON.stringify([project, stack]);
      if (open.has(key)) throw stackIsBusy(project, stack, "this process");
      open.add(key);
      const stored = states.get(key) ?? { checkpoint: undefined, journal: [] };
      states.set(key, stored);
      return {
        stored: { ...stored, journal: [...stored.journal] },
        append: async (lines) => void stored.journal.push(...lines),
        replace: async (checkpoint) => void Object.assign(stored, { checkpoint, journal: [] }),
        close: async () => void open.delete(key),
      };
    },
    async read(project, stack) {
      const stored = states.get(JSON.stringify([project, stack]));
      return stored && { ...stored, journal: [...stored.journal] };
    },
  };
}

export function stackIsBusy(project: string, stack: string, by: string): Error {
  return new Error(
    `stack ${project}/${stack} is being changed by ${by}; wait for that operation to end and try again`,
  );
}
