import fc from "fast-check";
import { acceleratorNames } from "../../sdk/engines/accelerators/index.ts";
import { knownModels } from "../../sdk/engines/models/model-facts.ts";
import type { InferenceServiceInput } from "../../sdk/index.ts";

/** Services with a typed model: any model of the catalog, accelerator and settings. Many of them cannot be planned. */

const size = fc.constantFrom(1, 2, 3, 4, 8, 16);
const unset = (weight: number) => ({ weight, arbitrary: fc.constant(undefined) });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof(unset(3), { weight: 1, arbitrary });
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof(unset(9), { weight: 1, arbitrary });

const versions = {
  vllm: ["0.8.5", "0.10.1", "0.11.0", "0.13.0", "0.18.0", "0.26.0", "0.29.0", "0.32.0", "0.33.0"],
  sglang: ["0.5.9", "0.5.18", "0.5.20", "0.5.23"],
  "tensorrt-llm": ["1.2.0"],
} as const;

const adapters = fc
  .integer({ min: 0, max: 12 })
  .map((count) =>
    Array.from({ length: count }, (_, at) => ({ name: `a${at}`, source: `org/a${at}` })),
  );

const engine = fc
  .constantFrom("vllm" as const, "vllm" as const, "sglang" as const, "tensorrt-llm" as const)
  .chain((name) => {
    const isFull = name !== "tensorrt-llm";
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
      isFull ? optional(arbitrary) : fc.constant(undefined);
    return fc.record({
      name: fc.constant(name),
      version: optional(fc.constantFrom<string>(...versions[name])),
      maxModelLen: optional(fc.constantFrom(2048, 8192, 32_768, 65_536, 131_072, 262_144)),
      maxNumSeqs: optional(fc.constantFrom(1, 16, 256, 1024)),
      memoryFraction: optional(fc.constantFrom(0.5, 0.8, 0.9, 0.95)),
      tensorParallel: optional(size),
      pipelineParallel: optional(fc.constantFrom(1, 2, 4)),
      dataParallel: maybe(fc.constantFrom(1, 2, 8, 16)),
      expertParallel: optional(fc.boolean()),
      dtype: maybe(fc.constantFrom("auto" as const, "bfloat16" as const, "float16" as const)),
      quantization: maybe(fc.constantFrom("auto" as const, "fp8" as const)),
      kvCacheDtype: maybe(fc.constantFrom("auto" as const, "fp8" as const)),
      lora: maybe(
        fc.record({
          adapters,
          maxRank: fc.constantFrom(8, 16, 48, 64, 256),
          maxLoaded: optional(fc.integer({ min: 1, max: 16 })),
          dynamic: fc.boolean(),
        }),
      ),
      kvOffload: maybe(fc.record({ cpu: fc.constantFrom("16Gi", "200Gi") })),
      speculative: maybe(
        fc.record({
          method: fc.constantFrom("mtp" as const, "ngram" as const),
          tokens: fc.integer({ min: 1, max: 5 }),
        }),
      ),
      args: rarely(
        fc.constantFrom(
          ...[["--port=9000"], ["--host", "0.0.0.0"], ["--served-model-name", "m"]],
          ...[["--max-model-len=4096"], ["--tp-size", "2"], ["--model", "m"], ["m"]],
        ),
      ),
    });
  })
  .map(present);

const model = fc
  .record({
    name: fc.constantFrom(...knownModels()),
    token: optional(fc.constant({ secret: "hf" })),
    cache: rarely(fc.constant({ claim: "cache" })),
    mebibytesPerSecond: rarely(fc.constantFrom(10, 1000)),
  })
  .map(present);

const multinode = optional(fc.record({ nodeCount: fc.integer({ min: 1, max: 4 }) }));
const rootless = rarely(
  fc.constant({ spec: { securityContext: { runAsNonRoot: true, runAsUser: 1000 } } }),
);
const roleOf = (componentType: "worker" | "prefiller" | "decoder") =>
  fc
    .record({ replicas: fc.integer({ min: 1, max: 3 }), multinode, template: rootless })
    .map((role) => ({ name: componentType, componentType, ...present(role) }));

const roles = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(roleOf("worker")) },
  { weight: 1, arbitrary: fc.tuple(roleOf("prefiller"), roleOf("decoder")) },
);

function present<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export const arbitraryTypedService: fc.Arbitrary<InferenceServiceInput> = fc
  .record({
    model,
    accelerator: fc.constantFrom(...acceleratorNames),
    engine,
    roles,
    routed: fc.boolean(),
  })
  .map(({ routed, roles: engines, ...spec }) => ({
    metadata: { name: "chat" },
    spec: {
      ...spec,
      roles: [
        ...engines,
        ...(routed ? [{ name: "router", componentType: "router" as const }] : []),
      ],
    },
  })) as never;
