import { AsyncResource } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import runtimeState from "@pulumi/pulumi/runtime/state.js";

/** Number of factories in this process: names of hooks must be unique, and titles are unique per parent only. */
let count = 0;

/**
 * Returns a function that creates hooks, also for previews. They run in the context of the program, whose configuration
 * they read.
 */
export function hookFactory(purpose: string, title: string) {
  count += 1;
  const prefix = `${purpose} ${count} of ${title}`;
  return (name: string, run: pulumi.ResourceHookFunction) =>
    new pulumi.ResourceHook(`${prefix}: ${name}`, AsyncResource.bind(run), { onDryRun: true });
}

/** The SDK publishes no function for this. Mocks claim to support hooks, but have no function to register them. */
export function hooksWork(): boolean {
  const { supportsResourceHooks, settings } = (
    runtimeState as unknown as { getStore(): Partial<Store> }
  ).getStore();
  const monitor = settings?.monitor as { registerResourceHook?: unknown } | undefined;
  return supportsResourceHooks === true && typeof monitor?.registerResourceHook === "function";
}

interface Store {
  readonly supportsResourceHooks: boolean;
  readonly settings: { readonly monitor?: unknown };
}
