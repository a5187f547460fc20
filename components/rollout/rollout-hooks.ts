import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { rolloutNotice } from "../../sdk/rollout/rollout-notice.ts";
import { rolloutOrder } from "../../sdk/rollout/rollout-order.ts";
import { plannedSetOf } from "../../sdk/rollout/set-state.ts";
import { stackSetting } from "../arguments/read-args.ts";
import { clusterChoice } from "./cluster-choice.ts";
import { hookFactory, hooksWork } from "./hook-factory.ts";
import { type Inputs, updateOf } from "./hook-inputs.ts";
import { type PreviousSet, Rollout, type RolloutOptions } from "./rollout.ts";

/** Settings of a component's spec for its rollouts. */
export type RolloutSettings = Pick<RolloutOptions, "gate" | "rollsBack">;

/**
 * Returns the hooks that order the updates of a component's LeaderWorkerSets: one replica is away at a time. In a
 * preview, they report which roles restart and what serves meanwhile. Undefined if there is nothing to order: without a
 * LeaderWorkerSet, with `parallel` in stack configuration `pulumi-inference:rollout`, and in a CLI without hooks.
 *
 * @param resources returns the resources of the LeaderWorkerSets, which do not exist yet when their hooks are made
 */
export function rolloutHooks(
  component: pulumi.ComponentResource,
  title: string,
  manifests: readonly Manifest[],
  settings: RolloutSettings,
  resources: () => readonly pulumi.Resource[],
): pulumi.ResourceHookBinding | undefined {
  const sets = manifests.filter(({ kind }) => kind === "LeaderWorkerSet");
  if (sets.length === 0 || !hooksWork()) return undefined;
  const isOrdered = stackSetting("rollout") !== "parallel";
  const hook = hookFactory("rollout", title);
  if (pulumi.runtime.isDryRun()) {
    const created = new Set<string>();
    const restarting = new Map<string, Inputs | undefined>();
    const report = () => {
      const notices = new Map(
        [...restarting].map(([set, before]) => {
          const notice = rolloutNotice(title, manifests, set, isOrdered, before, created);
          return [notice.message, notice];
        }),
      );
      for (const { message, interrupts } of notices.values())
        void (interrupts ? pulumi.log.warn : pulumi.log.info)(message, component);
    };
    return {
      beforeCreate: [
        hook("new", async (args) => {
          created.add((await updateOf(args)).name);
        }),
      ],
      beforeUpdate: [
        hook("notice", async (args) => {
          const { before, name, restarts } = await updateOf(args);
          if (!restarts) return;
          if (restarting.size === 0) afterRegistration(resources(), report);
          restarting.set(name, before);
        }),
      ],
    };
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
  return {
    beforeCreate: [hook("created", async (args) => rollout.created((await updateOf(args)).name))],
    beforeUpdate: [
      hook("begin", async (args) => {
        const { name, namespace, restarts } = await updateOf(args);
        if (restarts) await rollout.begin(name, namespace);
      }),
    ],
    afterUpdate: [
      hook("end", async (args) => {
        const { before, name, restarts } = await updateOf(args);
        if (restarts) await rollout.end(name, previousOf(before));
      }),
    ],
  };
}

/**
 * Calls a function after the registration of all resources. Until then the program does not end. A hook cannot wait for
 * this: the registration of its own resource waits for the hook.
 */
function afterRegistration(resources: readonly pulumi.Resource[], run: () => void): void {
  const done = pulumi.runtime.rpcKeepAlive();
  pulumi.all(resources.map(({ urn }) => urn)).apply(() => {
    run();
    done();
  });
}

/** Returns the set that a rollback restores; undefined if the inputs contain no set. */
const previousOf = ({ metadata, spec }: Inputs = {}): PreviousSet | undefined =>
  isMap(metadata) && isMap(spec) ? { metadata, spec } : undefined;
