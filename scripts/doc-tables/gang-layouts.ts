import { capacity, nodesOf } from "../../sdk/index.ts";
import { readStory } from "../../testing/repository.ts";
import { code, table } from "./table.ts";

const layouts = ["subGroup", "task", "none"] as const;

/** The replicas of a service that start on empty nodes with 8 GPUs each, by the number of GPUs and the layout. */
export const gangLayoutTable = (): string[] =>
  table(
    ["GPUs", ...layouts.map(code)],
    [80, 72, 64, 48, 32, 16].map((gpus) => [
      String(gpus),
      ...layouts.map((layout) => startedOn(gpus, layout)),
    ]),
  );

function startedOn(gpus: number, layout: (typeof layouts)[number]): string {
  const { metadata, spec } = readStory(4);
  const schedulingStrategy = { ...spec.schedulingStrategy, gang: { layout } };
  const { replicas } = capacity(
    { metadata, spec: { ...spec, schedulingStrategy } },
    nodesOf(gpus, 8),
  );
  const started = replicas.filter(({ scheduledPods }) => scheduledPods > 0);
  if (started.length === 0) return "nothing";
  return started
    .map(({ role, index, scheduledPods, size }) =>
      scheduledPods === size
        ? `${role}-${index}`
        : `${scheduledPods} of ${size} pods of ${role}-${index}`,
    )
    .join(", ");
}
