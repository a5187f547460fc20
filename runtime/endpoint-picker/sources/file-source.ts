import { readFileSync, watch } from "node:fs";
import { dirname } from "node:path";
import { parseAllDocuments } from "yaml";
import { noObjects, type PoolObjects, type PoolSource } from "../datastore/pool-objects.ts";
import { defaultPoolGroup } from "./pool-kinds.ts";
import { problemText, readObjective, readPod, readPool, readRewrite } from "./read-objects.ts";

export interface FileSourceOptions {
  readonly file: string;
  /** Which pool of the file; the only one where undefined. */
  readonly poolName?: string | undefined;
  /** Told what is wrong with the file; the last good objects stay. */
  readonly onProblem: (key: string, message: string) => void;
  /** Milliseconds between looks at a file whose changes the system does not tell. Default 1000. */
  readonly pollMs?: number;
}

/**
 * The same objects from a YAML file, without Kubernetes: InferencePool, Pod, InferenceObjective and
 * InferenceModelRewrite, a document each. Read again when it changes.
 */
export class FileSource implements PoolSource {
  readonly #options: FileSourceOptions;
  #text = "";
  #pool = false;
  #onChange: (objects: PoolObjects) => void = () => {};
  #stop: () => void = () => {};

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  start(onChange: (objects: PoolObjects) => void): void {
    this.#onChange = onChange;
    this.#read();
    const { file, pollMs = 1000 } = this.#options;
    // The folder, since files that are replaced are not the ones that were watched; and a look now and then, since
    // mounted volumes do not tell.
    const watcher = watch(dirname(file), () => this.#read());
    watcher.on("error", () => {});
    const poll = setInterval(() => this.#read(), pollMs);
    this.#stop = () => {
      watcher.close();
      clearInterval(poll);
    };
  }

  synced(): boolean {
    return this.#pool;
  }

  async stop(): Promise<void> {
    this.#stop();
  }

  #read(): void {
    const { file, poolName, onProblem } = this.#options;
    try {
      const text = readFileSync(file, "utf8");
      if (text === this.#text) return;
      this.#text = text;
      const objects = objectsOf(text, poolName);
      this.#pool = objects.pool !== undefined;
      this.#onChange(objects);
    } catch (error) {
      onProblem(file, error instanceof Error ? error.message : String(error));
    }
  }
}

/**
 * @throws Error that names the document and what is wrong with it
 */
export function objectsOf(text: string, poolName?: string): PoolObjects {
  const pools: NonNullable<PoolObjects["pool"]>[] = [];
  const found = {
    pods: [...noObjects.pods],
    objectives: [...noObjects.objectives],
    rewrites: [...noObjects.rewrites],
  };
  parseAllDocuments(text).forEach((document, at) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(`document ${at + 1}: ${problem.message}`);
    const object = document.toJS() as { apiVersion?: string; kind?: string } | null;
    if (object === null) return;
    try {
      switch (object.kind) {
        case "InferencePool": {
          const pool = readPool(object, object.apiVersion?.split("/")[0] ?? defaultPoolGroup);
          if (pool !== undefined) pools.push(pool);
          return;
        }
        case "Pod":
          found.pods.push(readPod(object, true));
          return;
        case "InferenceObjective":
          found.objectives.push(readObjective(object));
          return;
        case "InferenceModelRewrite":
          found.rewrites.push(readRewrite(object));
          return;
        default:
          throw new Error(
            `kind ${object.kind} is not read; there are InferencePool, Pod, InferenceObjective, InferenceModelRewrite`,
          );
      }
    } catch (cause) {
      throw new Error(`document ${at + 1}: ${problemText(cause)}`, { cause });
    }
  });
  const wanted = pools.filter(
    ({ name }) => poolName === undefined || poolName === "" || name === poolName,
  );
  if (wanted.length > 1)
    throw new Error(`${wanted.length} InferencePools; say which one by --pool-name`);
  return { pool: wanted[0], ...found };
}
