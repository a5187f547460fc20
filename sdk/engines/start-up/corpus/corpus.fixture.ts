import { readFileSync } from "node:fs";
import { type AcceleratorName, acceleratorTypes } from "../../accelerators/index.ts";
import type { EngineName } from "../../interface/engine.ts";
import type { StartUpFinding } from "../../interface/start-up.ts";
import { engineFaults } from "../engine-faults.ts";

/** One configuration of an engine: a row of a corpus. */
export interface Configuration {
  /** Thread, or file and section. */
  readonly source: string;
  readonly engine: EngineName;
  readonly version: string;
  readonly accelerators: ReadonlyArray<AcceleratorName | "unknown">;
  /** Devices of one pod; 0 if they cannot be counted. */
  readonly devices: number;
  readonly pods: number;
  readonly command: string;
  /** Further fields of the container. */
  readonly fields: object;
}

export interface Failure extends Configuration {
  readonly kind: string;
  readonly message: RegExp;
}

const read = (name: string) =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");

const configuration = (columns: readonly string[]): Configuration => {
  const [source = "", engine = "", accelerators = "", sizes = "", command = "", fields = "{}"] =
    columns;
  const [name = "", version = ""] = engine.split(" ");
  const [devices = 0, pods = 1] = sizes.split("x").map(Number);
  return {
    ...{ source, version, devices, pods, command },
    engine: name as EngineName,
    accelerators: accelerators.split(" ") as AcceleratorName[],
    fields: JSON.parse(fields) as object,
  };
};

/** Public failures: source | engine | accelerator | devices | command | fields | kind | message | assumed. */
export const failures: readonly Failure[] = read("failures.txt").map((line) => {
  const columns = line.split(" | ");
  const [kind = "", message = ""] = columns.slice(6);
  return { ...configuration(columns), kind, message: new RegExp(message) };
});

/** Published recipes: source | engine | accelerators | devices | command | fields. */
export const recipes: readonly Configuration[] = read("recipes.txt").map((line) =>
  configuration(line.split(" | ")),
);

const images: Readonly<Record<EngineName, string>> = {
  vllm: "vllm/vllm-openai:v",
  sglang: "lmsysorg/sglang:v",
  "tensorrt-llm": "nvcr.io/nvidia/tensorrt-llm/release:",
};

const programs: Readonly<Record<EngineName, string>> = {
  vllm: "vllm serve",
  sglang: "python3 -m sglang.launch_server",
  "tensorrt-llm": "trtllm-serve",
};

const typeOf = (accelerator: AcceleratorName | "unknown") =>
  accelerator === "unknown" ? undefined : acceleratorTypes[accelerator];

/** Returns the container of a configuration. */
export function containerOf(
  { engine, version, devices, command, fields }: Configuration,
  accelerator: AcceleratorName | "unknown",
) {
  const resource = typeOf(accelerator)?.resource;
  const { resources, ...others } = fields as { resources?: { limits?: object } };
  return {
    name: engine,
    image: `${images[engine]}${version}`,
    command: ["sh", "-c"],
    args: [`exec ${programs[engine]} ${command}`],
    resources: {
      limits: {
        ...resources?.limits,
        ...(resource && devices > 0 && { [resource]: devices }),
      },
    },
    ...others,
  };
}

/** Returns the faults of a configuration in a pod template. */
export function faultsOf(
  configuration: Configuration,
  accelerator: AcceleratorName | "unknown",
): StartUpFinding[] {
  const container = containerOf(configuration, accelerator);
  const pod = { containers: [container] };
  const cluster = { pods: configuration.pods, accelerator: typeOf(accelerator) };
  const faults = [...engineFaults(container, pod as never, cluster)];
  // The corpus contains versions without the images for other devices.
  return faults.filter(({ kind }) => kind !== "image");
}
