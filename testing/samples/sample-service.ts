import type { InferenceServiceInput } from "../../sdk/index.ts";

type Input = InferenceServiceInput;
type RoleInput = Input["spec"]["roles"][number];
type InferenceRoleInput = Exclude<RoleInput, { componentType: "router" }>;

/** A pod template of vLLM with GPUs. */
export const vllmTemplate = (
  gpus = 8,
  fields: object = {},
): NonNullable<InferenceRoleInput["template"]> => ({
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        args: ["--model", "m"],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": String(gpus) } },
        ...fields,
      },
    ],
  },
});

export const worker = (fields: Partial<InferenceRoleInput> = {}): RoleInput =>
  ({
    name: "inference",
    componentType: "worker",
    template: vllmTemplate(),
    // vLLM 0.11 cannot drain, and each preview would warn about it.
    drainSeconds: 0,
    ...fields,
  }) as RoleInput;

/** The same, on either side of a pair. */
export const pairTemplate = (gpus = 8, fields: object = {}) =>
  vllmTemplate(gpus, {
    args: [
      "--model",
      "m",
      "--kv-transfer-config",
      '{"kv_connector":"NixlConnector","kv_role":"kv_both"}',
    ],
    ...fields,
  });

export const prefiller = (fields: Partial<InferenceRoleInput> = {}): RoleInput =>
  worker({ name: "prefill", componentType: "prefiller", template: pairTemplate(), ...fields });

export const decoder = (fields: Partial<InferenceRoleInput> = {}): RoleInput =>
  worker({ name: "decode", componentType: "decoder", template: pairTemplate(), ...fields });

export const router = (fields: object = {}): RoleInput =>
  ({
    name: "router",
    componentType: "router",
    httproute: { parentRefs: [{ name: "gateway" }] },
    ...fields,
  }) as RoleInput;

/** A service of these roles. */
export const service = (roles: RoleInput[], fields: object = {}, name = "svc"): Input => ({
  metadata: { name },
  spec: { roles, ...fields },
});

/** A stand-in for a Pulumi Output: the sdk recognizes one by this mark. */
export const output = (): never => ({ __pulumiOutput: true }) as never;
