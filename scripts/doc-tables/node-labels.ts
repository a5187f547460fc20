import { acceleratorNames, acceleratorTypes } from "../../sdk/engines/accelerators/index.ts";
import { nodeLabels } from "../../sdk/engines/accelerators/node-labels.ts";
import { tolerationsFor } from "../../sdk/engines/accelerators/node-taints.ts";
import { code, codes, table } from "./table.ts";

/** The labels of nodes that name accelerators, by the component that sets them. */
export const nodeLabelTable = (): string[] =>
  table(
    ["label of the node", "set by", "accelerators"],
    nodeLabels.map(({ key, setBy, values }) => [code(key), setBy, codes(Object.keys(values))]),
  );

/** The tolerations of planned pods, by the platform of their accelerator. */
export function nodeTaintTable(): string[] {
  const platforms = Map.groupBy(acceleratorNames, (name) => acceleratorTypes[name].platform);
  return table(
    ["platform", "tolerated taints"],
    [...platforms].flatMap(([platform, [first]]) => {
      const taints = first === undefined ? [] : tolerationsFor(acceleratorTypes[first]);
      const texts = taints.map(
        ({ key, value, effect }) => `${key}${value === undefined ? "" : `=${value}`}:${effect}`,
      );
      return texts.length === 0 ? [] : [[code(platform), codes(texts)]];
    }),
  );
}
