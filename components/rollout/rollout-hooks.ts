import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { rolloutNotice } from "../../sdk/rollout/rollout-notice.ts";
import { rolloutOrder } from "../../sdk/rollout/rollout-order.ts";
import { plannedSetOf, restartsPods } from "../../sdk/rollout/set-state.ts";
import { stackSetting } from "../read-args.ts";
import { clusterChoice } from "./cluster-choice.ts";
import { hookFactory, hooksWork } from "./hook-factory.ts";
import { type PreviousSet, Rollout, type RolloutOptions } from "./rollout.ts";

/** Settings of a component's spec for its rollouts. */
export type RolloutSettings = Pick<RolloutOptions, "gate" | "rollsBack">;

/**
 * Returns the hooks that order the updates of a component's LeaderWorkerSets: one replica is away at a time. In a
 * preview, they report which roles restart and what serves meanwhile. Undefined if there is nothing to order: without a
 * LeaderWorkerSet, with `parallel` in stack configuration `pulumi-inference:rollout`, and in a CLI without hooks.
 */
export function rolloutHooks(
  component: pulumi.ComponentResource,
  title: string,
  manifests: readonly Manifest[],
  settings: RolloutSettings,
): pulumi.ResourceHookBinding | undefined {
  const sets = manifests.filter(({ kind }) => kind === "LeaderWorkerSet");
  if (sets.length === 0 || !hooksWork()) return undefined;
  const isOrdered = stackSetting("rollout") !== "parallel";
  const hook = hookFactory("rollout", title);
  if (pulumi.runtime.isDryRun()) {
    const reported = new Set<string>();
    const notice = hook("notice", async ({ oldInputs, newInputs }) => {
      if (!restartsPods(oldInputs?.spec, newInputs?.spec)) return;
      const { message, interrupts } = rolloutNotice(
        title,
        manifests,
        setOf(newInputs).name,
        isOrdered,
      );
      if (reported.has(message)) return;
      reported.add(message);
      await (interrupts ? pulumi.log.warn : pulumi.log.info)(message, component);
    });
    return { beforeUpdate: [notice] };
  }
  if (!isOrdered) return undefined;
  const rollout = new Rollout({
    ...settings,
    sets: rolloutOrder(sets.map(plannedSetOf)),
    cluster: async () =>
      (await import("./cluster-access.ts")).clusterAccess((await clusterChoice(component)) ?? {}),
    report: (message, isTemporary) =>
      void pulumi.log.info(message, component, undefined, isTemporary),
  });
  const restarts = ({ oldInputs, newInputs }: pulumi.ResourceHookArgs) =>
    restartsPods(oldInputs?.spec, newInputs?.spec);
  return {
    beforeCreate: [hook("created", ({ newInputs }) => rollout.created(setOf(newInputs).name))],
    beforeUpdate: [
      hook("begin", async (args) => {
        const { name, namespace } = setOf(args.newInputs);
        if (restarts(args)) await rollout.begin(name, namespace);
      }),
    ],
    afterUpdate: [
      hook("end", async (args) => {
        if (!restarts(args)) return;
        const { metadata, spec } = args.oldInputs as PreviousSet;
        await rollout.end(setOf(args.newInputs).name, { metadata, spec });
      }),
    ],
  };
}

function setOf(inputs: Record<string, unknown> | undefined): { name: string; namespace: string } {
  const { name, namespace = "default" } = (inputs?.metadata ?? {}) as Record<string, string>;
  return { name: String(name), namespace };
}
