import { z } from "zod";
import { roleLabel } from "../../label-keys.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { byLabel } from "./by-label.ts";

interface Role {
  readonly stage: string;
  readonly values: readonly string[];
  /** Whether pods without the label pass too. */
  readonly allowsNoLabel: boolean;
}

/** Returns a filter that keeps the pods of a stage. */
export const roleFilter = (type: string, { stage, values, allowsNoLabel }: Role) =>
  pluginType({
    type,
    kinds: ["filter"],
    summary: `Keeps pods that ${stage}, by label ${roleLabel}${allowsNoLabel ? ", and pods without the label" : ""}.`,
    parameters: z.looseObject({}),
    create: () => ({ filter: byLabel(roleLabel, values, allowsNoLabel) }),
  });
