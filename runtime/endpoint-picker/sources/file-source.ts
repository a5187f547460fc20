import { readFileSync, watch } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import type { PoolObjects, PoolSource } from "../datastore/pool-objects.ts";
import { objectsOf } from "./file-objects.ts";

export interface FileSourceOptions {
  readonly file: string;
  /** Which pool of the file; the only one where undefined. */
  readonly poolName?: string | undefined;
  /** Of objects that do not say. Default `default`. */
  readonly namespace?: string | undefined;
  /** Told what is wrong with the file, once; the last good objects stay. Told what of an LLMService is left out. */
  readonly onProblem: (key: string, message: string) => void;
  /** Milliseconds between looks at a file whose changes the system does not tell. Default 1,000. */
  readonly pollMs?: number;
}

/** How long a file has to be left alone, in milliseconds, so that a half-written one is not taken for the whole. */
const settled = 50;

/**
 * The same objects from a YAML file, without Kubernetes: InferencePool, Pod, InferenceObjective,
 * InferenceModelRewrite and LLMService, a document each. Read again when it changes.
 */
export class FileSource implements PoolSource {
  readonly #options: FileSourceOptions;
  #text: string | undefined;
  #problem: string | undefined;
  #pool = false;
  #onChange: (objects: PoolObjects) => void = () => {};
  #stop: () => void = () => {};

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  /** Reads the file before it returns. */
  start(onChange: (objects: PoolObjects) => void): void {
    this.#onChange = onChange;
    this.#read();
    const { file, pollMs = 1_000 } = this.#options;
    let soon: NodeJS.Timeout | undefined;
    const readSoon = () => {
      clearTimeout(soon);
      soon = setTimeout(() => this.#read(), settled);
    };
    // The folder, since a file that is replaced is not the one that was watched; and a look now and then, since
    // some file systems tell nothing.
    const watcher = watchFolder(dirname(file), readSoon);
    const poll = setInterval(readSoon, pollMs);
    this.#stop = () => {
      watcher?.close();
      clearInterval(poll);
      clearTimeout(soon);
    };
  }

  synced(): boolean {
    return this.#pool;
  }

  async stop(): Promise<void> {
    this.#stop();
  }

  #read(): void {
    const { file, poolName, namespace, onProblem } = this.#options;
    try {
      const text = readFileSync(file, "utf8");
      if (text === this.#text) return;
      this.#text = text;
      const objects = objectsOf(text, poolName, namespace, (problem) => onProblem(file, problem));
      this.#problem = undefined;
      this.#pool = objects.pool !== undefined;
      this.#onChange(objects);
    } catch (error) {
      const problem = reasonOf(error);
      if (problem !== this.#problem) onProblem(file, problem);
      this.#problem = problem;
    }
  }
}

function watchFolder(folder: string, onEvent: () => void) {
  try {
    return watch(folder, onEvent).on("error", () => {});
  } catch {
    return undefined;
  }
}
