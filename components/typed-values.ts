import type * as pulumi from "@pulumi/pulumi";
import { isDeferred } from "../kubernetes/values/deferred.ts";
import type {
  EngineRoleArgs,
  EngineSettingsArgs,
  NetworkDevicesArgs,
  RouterRoleArgs,
  SecretKeyArgs,
  ServiceModelArgs,
} from "./generated/args.ts";

/** Functions for typed services in programs. Each returns plain data, in the format of a YAML document. */

type Downloaded = Omit<ServiceModelArgs, "name" | "source" | "location" | "path" | "token">;

/** Returns a model that the engine downloads from Hugging Face, such as `huggingFace("Qwen/Qwen3-32B")`. */
export function huggingFace(
  name: string,
  options: Downloaded & {
    /** Secret with the token: its name, if the key is `token`, or a name and a key. */
    token?: pulumi.Input<string> | SecretKeyArgs;
  } = {},
): ServiceModelArgs {
  const { token, ...rest } = options;
  const isName = typeof token === "string" || isDeferred(token);
  const secret = isName ? { secret: token as pulumi.Input<string> } : (token as SecretKeyArgs);
  return {
    name,
    source: "huggingFace",
    ...(token !== undefined && { token: secret }),
    ...rest,
  };
}

type Stored = Omit<ServiceModelArgs, "source" | "location" | "revision" | "token" | "cache">;

/** Returns a model in an image, which pods mount as an image volume. */
export const oci = (image: pulumi.Input<string>, options: Stored): ServiceModelArgs => ({
  ...options,
  source: "oci",
  location: image,
});

/** Returns a model on a PersistentVolumeClaim. */
export const pvc = (claim: pulumi.Input<string>, options: Stored): ServiceModelArgs => ({
  ...options,
  source: "pvc",
  location: claim,
});

/** Returns a model in an S3 bucket, from which the engine streams it. */
export const s3 = (url: pulumi.Input<string>, options: Omit<Stored, "path">): ServiceModelArgs => ({
  ...options,
  source: "s3",
  location: url,
});

/** Returns a model in a Google Cloud Storage bucket, from which the engine streams it. */
export const gcs = (
  url: pulumi.Input<string>,
  options: Omit<Stored, "path">,
): ServiceModelArgs => ({
  ...options,
  source: "gcs",
  location: url,
});

type Settings = Omit<EngineSettingsArgs, "name">;

/** Returns vLLM with settings, such as `vllm({ maxModelLen: 32_768 })`. */
export const vllm = (settings: Settings = {}): EngineSettingsArgs => ({
  ...settings,
  name: "vllm",
});

/** Returns SGLang with settings. */
export const sglang = (settings: Settings = {}): EngineSettingsArgs => ({
  ...settings,
  name: "sglang",
});

/** Returns TensorRT-LLM with settings. */
export const tensorRtLlm = (settings: Settings = {}): EngineSettingsArgs => ({
  ...settings,
  name: "tensorrt-llm",
});

type Network = Omit<NetworkDevicesArgs, "kind">;

/** Returns InfiniBand or RoCE devices that a device plugin shares, such as `rdma({ resource: "rdma/ib" })`. */
export const rdma = (fields: Omit<Network, "networks"> = {}): NetworkDevicesArgs => ({
  ...fields,
  kind: "rdma",
});

/** Returns virtual functions of InfiniBand or RoCE devices, with the resource of their device plugin. */
export const sriov = (
  resource: string,
  fields: Omit<Network, "resource"> = {},
): NetworkDevicesArgs => ({
  ...fields,
  kind: "sriov",
  resource,
});

/** Returns Elastic Fabric Adapters of AWS, with the number per pod. */
export const efa = (
  devices: number,
  fields: Pick<Network, "resource" | "socketInterface"> = {},
): NetworkDevicesArgs => ({ ...fields, kind: "efa", devices });

type Engine = Partial<Omit<EngineRoleArgs, "componentType">>;

/** Returns a role whose pods serve whole requests. Default name: `worker`. */
export const worker = (fields: Engine = {}): EngineRoleArgs => ({
  name: "worker",
  ...fields,
  componentType: "worker",
});

/** Returns a role whose pods compute prompts for decoders. Default name: `prefiller`. */
export const prefiller = (fields: Engine = {}): EngineRoleArgs => ({
  name: "prefiller",
  ...fields,
  componentType: "prefiller",
});

/** Returns a role whose pods generate tokens from prompts that prefillers have computed. Default name: `decoder`. */
export const decoder = (fields: Engine = {}): EngineRoleArgs => ({
  name: "decoder",
  ...fields,
  componentType: "decoder",
});

/** Returns the router in front of the other roles. Default name: `router`. */
export const router = (
  fields: Partial<Omit<RouterRoleArgs, "componentType">> = {},
): RouterRoleArgs => ({
  name: "router",
  ...fields,
  componentType: "router",
});
