import { z } from "zod";
import { pluginType } from "../../plugin.ts";
import { roleLabel } from "../../roles.ts";
import { byLabel } from "./by-label.ts";

interface Role {
  readonly stage: string;
  readonly values: readonly string[];
  /** Pods without the label pass too. */
  readonly allowsNoLabel: boolean;
}

/** A filter by the stage that a server is for. */
export const roleFilter = (type: string, { stage, values, allowsNoLabel }: Role) =>
  pluginType({
    type,
    kinds: ["filter"],
    summary: `Keeps pods that ${stage}, by label ${roleLabel}${allowsNoLabel ? ", and pods without the label" : ""}.`,
    parameters: z.looseObject({}),
    create: () => ({ filter: byLabel(roleLabel, values, allowsNoLabel) }),
  });
