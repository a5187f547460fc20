import { parseQuantity, toUnits } from "../../../kubernetes/values/quantity.ts";
import type { Finding } from "../../invariant.ts";
import type { AcceleratorType, Platform } from "../accelerators/accelerator.ts";
import { gibibytes } from "../memory/gibibytes.ts";
import type { EngineMemory, MemoryRequest } from "../memory/memory.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { EngineSettings } from "../spec/engine.ts";
import type { Model } from "../spec/model.ts";
import type { PartRanks } from "./engine.ts";

/** How one replica of a model is divided over devices and pods. */
export interface Division {
  /** Devices that share each layer. */
  readonly tensor: number;
  /** Groups of devices that divide the layers. */
  readonly pipeline: number;
  /** Copies of the attention layers. */
  readonly data: number;
  /** Whether each expert is on one device as a whole. */
  readonly expertParallel: boolean;
  /** Pods of a replica. */
  readonly nodes: number;
  /** Devices of one pod. */
  readonly devices: number;
}

/** The files of a model as a container finds them. */
export interface ModelFiles {
  /** The name or path that the engine loads. */
  readonly path: string;
  /** Whether the engine streams the files from a bucket. */
  readonly isStreamed: boolean;
  readonly env: readonly EnvVar[];
  readonly volumes: readonly object[];
  readonly mounts: readonly object[];
  /** Rate at which weights arrive, in bytes per second. */
  readonly bytesPerSecond: number;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: unknown;
  readonly valueFrom?: unknown;
}

/** The parts of a pod through which its engine uses network devices. */
export interface NetworkParts {
  readonly annotations: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
  /** Capabilities of the engine's container. */
  readonly capabilities: readonly string[];
  readonly env: readonly EnvVar[];
}

/** A model on an engine and accelerators: the input for the engine's command. */
export interface ServingTask {
  readonly model: Model;
  readonly files: ModelFiles;
  readonly accelerator: AcceleratorType;
  readonly settings: EngineSettings;
  readonly division: Division;
  /** Longest context in tokens; undefined for the model's context. */
  readonly context: number | undefined;
  /** Bytes of KV cache of a CPU engine. */
  readonly kvCacheBytes: number;
  /** Undefined for pods that do not communicate with other pods, and without network devices. */
  readonly network?: NetworkParts | undefined;
  /** Devices of the transfer between prefillers and decoders; undefined for workers, and if the engine chooses. */
  readonly transferDevices?: readonly string[] | undefined;
}

/** A model on devices, as its settings divide it: the input for the memory of a device. */
export interface MemoryTask extends Pick<ServingTask, "accelerator" | "settings" | "division"> {
  /** Request with the settings that all engines read in the same way. */
  readonly request: Omit<MemoryRequest, "layout">;
}

/** Directory in the engine's container for KV blocks on disk. */
export const kvDirectory = "/kv-cache";

/** The field of a service that sets an option. */
export interface OptionField {
  /** Field of the engine, or of the model with `model.` in front. */
  readonly field: string;
  /**
   * Values that the field can express. Default: all. With another value, the option may be set if the field is not set.
   */
  readonly values?: readonly string[];
}

/** Returns the fields of options whose values the field can all express. */
export const fields = (options: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(options).map(([option, field]) => [option, { field }]));

/** How an engine serves a typed model. */
export interface ServingEngine {
  /** Returns the image for a platform, by default of the tested version; undefined if no image is known. */
  image(platform: Platform, version: string | undefined): string | undefined;
  /** Command in front of the arguments; undefined if the image's entrypoint is the server. */
  command(platform: Platform): readonly string[] | undefined;
  /** Labels of its pods, in addition to the labels of every pod. */
  readonly labels: Readonly<Record<string, string>>;
  args(task: ServingTask): string[];
  /** Options of `args` that fields of a service set, by the first name of the option. */
  readonly optionFields: Readonly<Record<string, OptionField>>;
  env(task: ServingTask): EnvVar[];
  /** Whether copies of the attention layers may have pipeline stages. */
  readonly stagesCopies: boolean;
  /** Returns the ranks over which `args` divide the parts of a model. */
  partRanks(division: Division): PartRanks;
  /** Returns the memory of one device. */
  memory(facts: ModelFacts, task: MemoryTask): EngineMemory;
  /** Settings that the arguments of this engine cannot express. */
  faults(settings: EngineSettings): Iterable<Finding>;
}

/** Returns an image with the tag of another version. */
export const imageOf = (image: string | undefined, version: string | undefined) =>
  version === undefined ? image : image?.replace(/(?<=:v?)\d.*$/, version);

/** A flag with its value; empty if the value is undefined. */
export const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];

/** A flag without a value. */
export const flagIf = (name: string, isSet: boolean | undefined): string[] =>
  isSet === true ? [name] : [];

/** A parallel size; omitted if it is 1, the default of every engine. */
export const sizeFlag = (name: string, size: number): string[] =>
  size === 1 ? [] : [name, String(size)];

/** Returns the whole GiB of a quantity, such as 200 for 200Gi. */
export function gibibytesOf(quantity: string): number {
  const parsed = parseQuantity(quantity);
  return parsed === undefined ? 0 : Math.floor(gibibytes(toUnits(parsed)));
}
