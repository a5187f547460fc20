import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { lossNotices, type PlanByResource } from "../../sdk/impact/loss-notice.ts";
import type { Metadata } from "../../sdk/spec/inference-service.ts";
import { childName } from "../base/child-name.ts";
import { hookFactory, hooksWork } from "./hook-factory.ts";
import { type Inputs, withoutSecrets } from "./hook-inputs.ts";

/** Returns the planned objects of a component's inputs, as the state and the engine contain them. */
export type PlanOfInputs = (inputs: Inputs) => readonly Manifest[];

/**
 * Returns the hook of a component that warns in a preview if an edit of its arguments replaces or deletes
 * LeaderWorkerSets. It compares the arguments in the state with the arguments of the program and reads no cluster.
 * Undefined outside a preview, and in a CLI without hooks.
 *
 * @param component returns the component, which does not exist yet when its options are made
 */
export function lossHooks(
  name: string,
  title: string,
  planOf: PlanOfInputs,
  component: () => pulumi.Resource | undefined,
): pulumi.ResourceHookBinding | undefined {
  if (!pulumi.runtime.isDryRun() || !hooksWork()) return undefined;
  const hook = hookFactory("loss", title);
  const notice = hook("notice", async (args) => {
    // The log waits for the URN of the component, and its registration waits for this hook.
    for (const message of await lossesOf(name, title, planOf, args))
      void pulumi.log.warn(message, component());
  });
  return { beforeUpdate: [notice] };
}

/** Returns the warnings about one update; an empty list if one of the plans is not known. */
export async function lossesOf(
  name: string,
  title: string,
  planOf: PlanOfInputs,
  { oldInputs, newInputs }: Pick<pulumi.ResourceHookArgs, "oldInputs" | "newInputs">,
): Promise<readonly string[]> {
  const inputs = await Promise.all([oldInputs, newInputs].map(withoutSecrets));
  const [before, after] = inputs.map((each) => planByResource(name, each, planOf));
  return before === undefined || after === undefined ? [] : lossNotices(title, before, after);
}

/** Returns undefined if the namespace is not known yet, or if another version of this package wrote the inputs. */
function planByResource(
  name: string,
  inputs: Inputs | undefined,
  planOf: PlanOfInputs,
): PlanByResource | undefined {
  const { metadata } = (inputs ?? {}) as { metadata?: Partial<Metadata> };
  if (inputs === undefined || typeof metadata?.name !== "string") return undefined;
  if (typeof metadata.namespace !== "string") return undefined;
  try {
    return new Map(
      planOf(inputs).map((manifest) => [childName(name, metadata as Metadata, manifest), manifest]),
    );
  } catch (error) {
    void pulumi.log.debug(`${name}: the arguments in the state have no plan: ${messageOf(error)}`);
    return undefined;
  }
}
