import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import type {
  EngineSettingsArgs,
  InferenceServiceArgs,
  RoleArgs,
  SecretKeyArgs,
  ServiceModelArgs,
} from "./index.ts";
import {
  decoder,
  efa,
  gcs,
  huggingFace,
  oci,
  prefiller,
  pvc,
  rdma,
  router,
  s3,
  sglang,
  sriov,
  tensorRtLlm,
  vllm,
  worker,
} from "./typed-values.ts";

/** The functions for typed services accept what the arguments accept: the type checker compares them. */

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const holds = <T extends true>(value: T) => value;
type Location = NonNullable<ServiceModelArgs["location"]>;
type Settings = Omit<EngineSettingsArgs, "name">;
type Token = NonNullable<NonNullable<Parameters<typeof huggingFace>[1]>["token"]>;

const locations = [
  holds<Same<Parameters<typeof oci>[0], Location>>(true),
  holds<Same<Parameters<typeof pvc>[0], Location>>(true),
  holds<Same<Parameters<typeof s3>[0], Location>>(true),
  holds<Same<Parameters<typeof gcs>[0], Location>>(true),
  holds<Same<Token, SecretKeyArgs["secret"] | SecretKeyArgs>>(true),
  holds<Same<NonNullable<Parameters<typeof vllm>[0]>, Settings>>(true),
  holds<Same<NonNullable<Parameters<typeof sglang>[0]>, Settings>>(true),
  holds<Same<NonNullable<Parameters<typeof tensorRtLlm>[0]>, Settings>>(true),
];

const value = pulumi.output("made-in-the-program");
const image = { image: value, env: { PATH_OF_CACHE: value } };
const nodes = { spec: { nodeSelector: { pool: value } } };
const engines: RoleArgs[] = [worker, prefiller, decoder].map((role) =>
  role({ template: nodes, engine: vllm(image), network: rdma({ hcas: ["mlx5_0"] }) }),
);
const models: ServiceModelArgs[] = [
  pvc(value, { name: "m", path: "q" }),
  oci(value, { name: "m" }),
  s3(value, { name: "m" }),
  gcs(value, { name: "m" }),
];
const service: InferenceServiceArgs = {
  model: huggingFace("m", { token: value, cache: { claim: value } }),
  accelerator: "h100-sxm",
  engine: sglang(image),
  network: efa(32),
  roles: [...engines, worker({ network: sriov("openshift.io/nics") }), router()],
};

describe("functions for typed services", () => {
  it("accept Inputs", () => {
    expect(locations).toEqual(locations.map(() => true));
    expect(models.map(({ location }) => location)).toEqual([value, value, value, value]);
    expect(service.roles).toHaveLength(5);
    expect(tensorRtLlm(image)).toEqual({ ...image, name: "tensorrt-llm" });
  });

  it("read a token as the name of a Secret, or as a name and a key", () => {
    const promised = Promise.resolve("hf");
    const secret = { secret: value, key: "token" };
    for (const token of ["hf", value, promised])
      expect(huggingFace("m", { token })).toEqual({
        name: "m",
        source: "huggingFace",
        token: { secret: token },
      });
    expect(huggingFace("m", { token: secret }).token).toBe(secret);
    expect(huggingFace("m")).toEqual({ name: "m", source: "huggingFace" });
  });
});
