import { isDeepStrictEqual } from "node:util";
import {
  type Checkpoint,
  checkpointSalt,
  decryptResource,
  encryptResource,
  fromCheckpoint,
  needsSecrets,
  type StackContents,
  toCheckpoint,
} from "./checkpoint.ts";
import { openSecrets, type PassphraseSource, type SecretsManager } from "./passphrase.ts";
import {
  type PendingOperation,
  type PendingType,
  type ResourceState,
  stateKey,
} from "./resource-state.ts";
import type { StackStateFile, StoredState } from "./state-store.ts";

/** A line of the journal. */
type Entry =
  | { begin: PendingOperation }
  | { end: { type: PendingType; key: string } }
  | { put: ResourceState }
  | { remove: string };

/** The changes of one step to the state, recorded as one line. */
export interface Changes {
  put?: readonly ResourceState[];
  remove?: readonly ResourceState[];
  /** The pending operation that these changes complete. */
  end?: PendingOperation;
}

export interface SnapshotOptions {
  passphrase: PassphraseSource;
  /** Salt of the stack's configuration file, for a state without one. */
  salt?: string;
}

/** The resources of a stack during an operation. Each event is recorded. */
export class Snapshot {
  readonly #resources: Map<string, ResourceState>;
  readonly #pending: Map<string, PendingOperation>;
  readonly #file: StackStateFile | undefined;
  readonly #openSecrets: () => Promise<SecretsManager>;
  #secrets: SecretsManager | undefined;

  private constructor(
    contents: StackContents,
    file: StackStateFile | undefined,
    secrets: SecretsManager | undefined,
    open: () => Promise<SecretsManager>,
  ) {
    this.#resources = new Map(contents.resources.map((r) => [stateKey(r), r]));
    this.#pending = new Map(contents.pending.map((p) => [pendingKey(p), p]));
    this.#file = file;
    this.#secrets = secrets;
    this.#openSecrets = open;
  }

  /** Reads a state into memory only, for previews and for the outputs of other stacks. */
  static async read(stored: StoredState | undefined, options: SnapshotOptions): Promise<Snapshot> {
    const { contents, secrets, open } = await restore(stored, options);
    return new Snapshot(contents, undefined, secrets, open);
  }

  /** Opens a stack's state file, with the changes in the journal of an interrupted operation. */
  static async open(file: StackStateFile, options: SnapshotOptions): Promise<Snapshot> {
    const { contents, secrets, open } = await restore(file.stored, options);
    const snapshot = new Snapshot(contents, file, secrets, open);
    if (file.stored.journal.length > 0) await snapshot.save();
    return snapshot;
  }

  get resources(): ResourceState[] {
    return [...this.#resources.values()];
  }

  get pending(): PendingOperation[] {
    return [...this.#pending.values()];
  }

  get(urn: string): ResourceState | undefined {
    return this.#resources.get(urn);
  }

  /** Records a write to the cluster before it is sent. */
  async begin(type: PendingType, resource: ResourceState): Promise<PendingOperation> {
    const operation = { type, resource };
    await this.#append([operation.resource], (encrypt) => [
      { begin: { type, resource: encrypt(resource) } },
    ]);
    this.#pending.set(pendingKey(operation), operation);
    return operation;
  }

  /** Records an outcome. Unchanged resources are not written. */
  async record({ put = [], remove = [], end }: Changes): Promise<void> {
    const changed = put.filter((r) => !isDeepStrictEqual(this.#resources.get(stateKey(r)), r));
    for (const resource of remove) this.#resources.delete(stateKey(resource));
    for (const resource of put) this.#resources.set(stateKey(resource), resource);
    if (end !== undefined) this.#pending.delete(pendingKey(end));
    await this.#append(changed, (encrypt) => [
      ...remove.map((resource) => ({ remove: stateKey(resource) })),
      ...changed.map((resource) => ({ put: encrypt(resource) })),
      ...(end ? [{ end: { type: end.type, key: stateKey(end.resource) } }] : []),
    ]);
  }

  async export(): Promise<Checkpoint> {
    const contents = { resources: this.resources, pending: this.pending };
    const all = [...contents.resources, ...contents.pending.map(({ resource }) => resource)];
    return toCheckpoint(contents, await this.#secretsFor(all), new Date().toISOString());
  }

  /** Writes the state file as one checkpoint, without a journal. */
  async save(): Promise<void> {
    await this.#file?.replace(await this.export());
  }

  async #secretsFor(resources: readonly ResourceState[]): Promise<SecretsManager | undefined> {
    if (this.#secrets === undefined && resources.some(needsSecrets)) {
      this.#secrets = await this.#openSecrets();
    }
    return this.#secrets;
  }

  async #append(
    resources: readonly ResourceState[],
    entries: (encrypt: (resource: ResourceState) => ResourceState) => Entry[],
  ): Promise<void> {
    if (this.#file === undefined) return;
    const secrets = await this.#secretsFor(resources);
    const made = entries((resource) => encryptResource(resource, secrets));
    // One line contains all changes of a step: after a crash, either all or none of them are recorded.
    const salt = secrets && { salt: secrets.salt };
    if (made.length > 0) await this.#file.append([JSON.stringify({ ...salt, entries: made })]);
  }
}

function pendingKey({ type, resource }: PendingOperation): string {
  return `${type} ${stateKey(resource)}`;
}

interface Restored {
  contents: StackContents;
  secrets: SecretsManager | undefined;
  open: () => Promise<SecretsManager>;
}

async function restore(
  stored: StoredState | undefined,
  { passphrase, salt }: SnapshotOptions,
): Promise<Restored> {
  const { checkpoint, journal = [] } = stored ?? {};
  const lines = journal.map((line) => JSON.parse(line) as { salt?: string; entries: Entry[] });
  const storedSalt = checkpointSalt(checkpoint) ?? lines.find((line) => line.salt)?.salt;
  const encrypted = JSON.stringify([checkpoint, lines]).includes('"ciphertext"');
  // One common promise, because two would create two salts for one state.
  let opening: Promise<SecretsManager> | undefined;
  const open = () => {
    opening ??= openSecrets(passphrase, storedSalt ?? salt);
    return opening;
  };
  const secrets = encrypted ? await open() : undefined;
  const contents = checkpoint
    ? fromCheckpoint(checkpoint, secrets)
    : { resources: [], pending: [] };
  return {
    contents: replay(
      contents,
      lines.flatMap(({ entries }) => entries),
      secrets,
    ),
    secrets,
    open,
  };
}

function replay(
  { resources, pending }: StackContents,
  entries: readonly Entry[],
  secrets: SecretsManager | undefined,
): StackContents {
  const state = new Map(resources.map((r) => [stateKey(r), r]));
  const begun = new Map(pending.map((p) => [pendingKey(p), p]));
  for (const entry of entries) {
    if ("put" in entry) state.set(stateKey(entry.put), decryptResource(entry.put, secrets));
    else if ("remove" in entry) state.delete(entry.remove);
    else if ("end" in entry) begun.delete(`${entry.end.type} ${entry.end.key}`);
    else {
      const operation = {
        ...entry.begin,
        resource: decryptResource(entry.begin.resource, secrets),
      };
      begun.set(pendingKey(operation), operation);
    }
  }
  return { resources: [...state.values()], pending: [...begun.values()] };
}
