import type * as pulumi from "@pulumi/pulumi";
import type {
  PodHook,
  PodPluginFailurePolicy,
  PodPluginTarget,
  PodPluginType,
} from "./vocabulary.ts";

/** A plugin that customises pods. All of it is plain: it shapes pods and decides when they are made anew. */
export interface PodPlugin {
  /** Of a built-in plugin or of one of the program's own; of a Webhook any DNS label. */
  name: string;
  /** Code of this project or of the program, or an HTTPS endpoint where that is enabled. Default `BuiltIn`. */
  type?: PodPluginType;
  /** By the plugin's own schema; a Webhook is sent it as it is. No Outputs: plugins run while the pods are planned. */
  config?: pulumi.Inputs;
  /** Pods that the plugin sees. Default: all that run an engine. */
  scope?: PodPluginScope;
  /** Type Webhook: where it is reached, and what becomes of pods while it is not. */
  webhook?: PodPluginWebhook;
}

/** Pods that a plugin sees. */
export interface PodPluginScope {
  /** Names of roles. Default: all that run an engine. Not in the list of a role. */
  roles?: string[];
  /** Leaders and single pods, the other pods of replicas, or both. Default `All`. */
  target?: PodPluginTarget;
}

/** An endpoint that is called as pods are created or become ready. */
export interface PodPluginWebhook {
  /** HTTPS address; stack configuration `pulumi-inference:podPluginUrls` lists the allowed ones. */
  url: string;
  /** When it is called. Default `OnPodCreate`. */
  hooks?: PodHook[];
  /** What becomes of a pod when the call fails. Default `Fail`: it is not made. */
  failurePolicy?: PodPluginFailurePolicy;
  /** Seconds that one call may take, 1 to 10. Default 3. */
  timeoutSeconds?: number;
  /** PEM certificates that sign the endpoint's. Default: those of the system. */
  caBundle?: string;
}
