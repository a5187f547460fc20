import type { PoolObjects, PoolSource } from "../datastore/pool-objects.ts";
import { objectsOf } from "./file-objects.ts";
import { watchFile } from "./watched-file.ts";

export interface FileSourceOptions {
  readonly file: string;
  /** Name of the pool; may be undefined if the file has only one. */
  readonly poolName?: string | undefined;
  /** Namespace for objects without one. Default `default`. */
  readonly namespace?: string | undefined;
  /**
   * Receives each problem of the file once, and each part of an LLMService that is left out. The last valid objects
   * stay.
   */
  readonly onProblem: (key: string, message: string) => void;
  /** Interval of reading the file, for changes that the system does not report, in ms. Default 1,000. */
  readonly pollMs?: number;
}

/**
 * Reads the objects of a pool from a YAML file, without Kubernetes: InferencePool, Pod, InferenceObjective,
 * InferenceModelRewrite and LLMService, one per document. The file is read again when it changes.
 */
export class FileSource implements PoolSource {
  readonly #options: FileSourceOptions;
  #pool = false;
  #stop: () => void = () => {};

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  /** The file is read before it returns. */
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
