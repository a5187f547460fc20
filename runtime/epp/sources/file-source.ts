import type { PoolObjects, PoolSource } from "../datastore/pool-objects.ts";
import { objectsOf } from "./file-objects.ts";
import { watchFile } from "./watched-file.ts";

export interface FileSourceOptions {
  readonly file: string;
  /** Which pool of the file; the only one where undefined. */
  readonly poolName?: string | undefined;
  /** Namespace of objects that name none. Default `default`. */
  readonly namespace?: string | undefined;
  /** Receives each problem of the file once, and what of an LLMService is left out; the last good objects stay. */
  readonly onProblem: (key: string, message: string) => void;
  /** Milliseconds between looks at a file whose changes the system does not tell. Default 1,000. */
  readonly pollMs?: number;
}

/**
 * The same objects from a YAML file, without Kubernetes: InferencePool, Pod, InferenceObjective,
 * InferenceModelRewrite and LLMService, a document each. Read again when it changes.
 */
export class FileSource implements PoolSource {
  readonly #options: FileSourceOptions;
  #pool = false;
  #stop: () => void = () => {};

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  /** Reads the file before it returns. */
  start(onChange: (objects: PoolObjects) => void): void {
    const { file, poolName, namespace, pollMs, onProblem } = this.#options;
    const notify = (problem: string) => onProblem(file, problem);
    this.#stop = watchFile({
      file,
      pollMs,
      onProblem: notify,
      onText: (text) => {
        const objects = objectsOf(text, poolName, namespace, notify);
        this.#pool = objects.pool !== undefined;
        onChange(objects);
      },
    });
  }

  synced(): boolean {
    return this.#pool;
  }

  async stop(): Promise<void> {
    this.#stop();
  }
}
