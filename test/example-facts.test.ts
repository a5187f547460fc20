import { beforeAll, describe, expect, it } from "vitest";
import { isAccelerator } from "../kubernetes/values/accelerators.ts";
import { toUnits } from "../kubernetes/values/quantity.ts";
import { containerResources } from "../sdk/engines/accelerators/pod-resources.ts";
import { loadedModel, servedModels } from "../sdk/engines/containers/served-models.ts";
import { argumentsOf, engineNameOf } from "../sdk/engines/index.ts";
import { engineImages } from "../sdk/engines/models/engine-images.ts";
import { modelFacts, weightBytes } from "../sdk/engines/models/model-facts.ts";
import { whatIsKnown } from "../sdk/engines/options/arguments.ts";
import { parallelismOf } from "../sdk/engines/start-up/parallelism.ts";
import { unevenDivision } from "../sdk/engines/start-up/uneven-division.ts";
import type { Manifest } from "../sdk/index.ts";
import type { Container } from "../sdk/schemas/pod-template.ts";
import type { ContainerShape } from "../sdk/stack/shapes.ts";
import { readStack } from "../sdk/stack/stack.ts";
import { containersOf, type PodTemplateUse, type Workload } from "../sdk/stack/workloads.ts";
import { examplePrograms, planExample } from "../testing/programs/example-programs.ts";

/** Every engine that an example plans, against the sizes of its model and the devices it gets. */

/** GB of one device that the examples assume: H100 with 80 GB, MI300X, Ascend 910B with 64 GB. */
const deviceMemory: Readonly<Record<string, number>> = {
  "nvidia.com/gpu": 80,
  "amd.com/gpu": 192,
  "huawei.com/Ascend910": 64,
};
/** Share of a device's memory that engines use by default, `--gpu-memory-utilization` of vLLM. */
const usedShare = 0.9;

/** Models of engines that load files from a path: the program sets where the files come from. */
const modelOfPath: Readonly<Record<string, string>> = { "/models": "Qwen/Qwen3-32B" };

const plans = [
  ...examplePrograms.map((folder) => ({ folder, config: {} })),
  ...["nvidia", "ascend"].map((make) => ({ folder: "examples/accelerators", config: { make } })),
].map((plan) => ({ ...plan, title: [plan.folder, ...Object.values(plan.config)].join(" ") }));

interface Engine {
  readonly container: ContainerShape;
  readonly pods: PodTemplateUse;
  readonly model: string;
  readonly resource: string | undefined;
  /** Devices of one pod. */
  readonly devices: number;
  /** Pods of one replica. */
  readonly size: number;
}

function enginesOf({ pods, size }: Workload): Engine[] {
  return pods.flatMap((template) =>
    containersOf(template).flatMap(({ container }) => {
      const written = loadedModel(container);
      if (engineNameOf(container) === undefined || written === undefined) return [];
      const [resource, quantity] =
        [...containerResources(container as Container)].find(([name]) => isAccelerator(name)) ?? [];
      const devices = quantity === undefined ? 0 : toUnits(quantity);
      const model = modelOfPath[written] ?? written;
      return [{ container, pods: template, model, resource, devices, size }];
    }),
  );
}

/** Groups of one program's stack, or of programs that refer to each other's stacks. */
const stacks = new Map<string, Manifest[]>();

describe.each(plans)("$title", ({ folder, config }) => {
  let engines: Engine[];
  beforeAll(async () => {
    const { objects, diagnostics } = await planExample(folder, config);
    const warnings = diagnostics.filter(
      ({ severity, message }) => severity !== "info" && !message.includes("pulumi-inference:image"),
    );
    expect(warnings).toEqual([]);
    const [, together = ""] = folder.split("/");
    stacks.set(together, [...(stacks.get(together) ?? []), ...objects]);
    engines = readStack(objects).workloads.flatMap(enginesOf);
  });

  it("starts engines of the current images", () => {
    const current: readonly string[] = Object.values(engineImages);
    for (const { container } of engines) expect(current).toContain(container.image);
  });

  it("divides each model evenly over the devices of a replica", () => {
    for (const { container, model, devices, size } of engines) {
      expect(modelFacts(model), model).toBeDefined();
      const named = { ...container, args: namedArgs(container, model) };
      expect(unevenDivision(named, devices)).toBeUndefined();
      const { tensor = 1, pipeline = 1, data = 1, dataLocal } = parallelismOf(container) ?? {};
      const ranks = tensor * pipeline * (dataLocal ?? data);
      expect(ranks, model).toBe(dataLocal === undefined ? Math.max(devices, 1) * size : devices);
    }
  });

  it("gives each engine enough memory for its model, and no longer context than the model has", () => {
    for (const { container, model, resource, devices, size } of engines) {
      const facts = modelFacts(model);
      if (facts === undefined) throw new Error(`${model} has no facts`);
      const args = argumentsOf(container);
      const context = whatIsKnown(
        args.written("--max-model-len") ?? args.written("--context-length"),
      );
      expect(Number(context ?? 0)).toBeLessThanOrEqual(facts.context);
      if (resource === undefined) continue;
      const memory = deviceMemory[resource];
      if (memory === undefined) throw new Error(`the memory of ${resource} is not known here`);
      const { data = 1 } = parallelismOf(container) ?? {};
      expect((weightBytes(facts) * data) / 1e9).toBeLessThan(devices * size * memory * usedShare);
    }
  });

  it("mounts shared memory where several ranks or pods form an engine", () => {
    for (const { container, pods, devices, size } of engines) {
      if (devices * size <= 1) continue;
      const { volumeMounts = [] } = container as {
        volumeMounts?: Array<{ name: string; mountPath: string }>;
      };
      const mount = volumeMounts.find(({ mountPath }) => mountPath === "/dev/shm");
      const { volumes = [] } = pods.spec as {
        volumes?: Array<{ name: string; emptyDir?: object }>;
      };
      const volume = volumes.find(({ name }) => name === mount?.name);
      expect(volume?.emptyDir, pods.workload.name).toMatchObject({ medium: "Memory" });
    }
  });
});

/** The arguments with a path replaced by the model that is there. */
const namedArgs = ({ args }: ContainerShape, model: string) =>
  args?.map((arg) => (arg in modelOfPath ? model : arg));

describe("names of models", () => {
  interface Registrations {
    readonly spec: {
      readonly models?: ReadonlyArray<{
        readonly name: string;
        readonly targetModels?: ReadonlyArray<{ readonly name: string; readonly weight?: number }>;
      }>;
      readonly rules?: ReadonlyArray<{
        readonly targets: ReadonlyArray<{ readonly modelRewrite: string }>;
      }>;
    };
  }

  /** Names that requests have after LLMServices and rewrites. */
  const targetsOf = ({ kind, spec }: Manifest): string[] => {
    const { models = [], rules = [] } = (spec ?? {}) as Registrations["spec"];
    if (kind === "LLMService")
      return models.flatMap(({ name, targetModels }) =>
        (targetModels ?? [{ name, weight: 1 }])
          .filter(({ weight }) => weight !== 0)
          .map((target) => target.name),
      );
    return kind === "InferenceModelRewrite"
      ? rules.flatMap(({ targets }) => targets.map(({ modelRewrite }) => modelRewrite))
      : [];
  };

  /** Names that an engine serves: its model and the adapters that it loads. */
  const namesOf = ({ container }: Engine): string[] => {
    const args = argumentsOf(container);
    const modules = whatIsKnown(args.list("--lora-modules")) ?? [];
    if (modules.length > 0) expect(args.written("--enable-lora")).toBe("true");
    return [...(servedModels(container) ?? []), ...modules.map((word) => word.split("=")[0] ?? "")];
  };

  it("every name that an example sends requests to is served by an engine of the example", () => {
    for (const [example, objects] of stacks) {
      const served = readStack(objects).workloads.flatMap(enginesOf).flatMap(namesOf);
      const targets = objects.flatMap(targetsOf);
      expect(
        targets.filter((name) => !served.includes(name)),
        example,
      ).toEqual([]);
    }
    expect([...stacks.values()].flat().flatMap(targetsOf).length).toBeGreaterThan(10);
  });
});
