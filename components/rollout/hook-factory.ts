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

/**
 * The SDK publishes no function for this. Mocks claim to support hooks, but have no function to register them. Under
 * the CLI, only `getMonitor()` returns the monitor: the store does not contain it.
 */
export function hooksWork(): boolean {
  const { supportsResourceHooks } = (
    runtimeState as unknown as { getStore(): { readonly supportsResourceHooks?: boolean } }
  ).getStore();
  const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
  return supportsResourceHooks === true && typeof monitor?.registerResourceHook === "function";
}
