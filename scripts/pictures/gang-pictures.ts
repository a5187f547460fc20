import { capacity, type InferenceServiceInput, nodesOf } from "../../sdk/index.ts";
import { readStory } from "../../testing/repository.ts";
import { line, rectangle, svgFile, text } from "./svg.ts";

type Layout = "subGroup" | "task" | "none";

/** Returns the service of docs/gangs.md: a prefill replica of 2 pods and two decode replicas of 4, 8 GPUs per pod. */
function serviceWith(layout: Layout): InferenceServiceInput {
  const { metadata, spec } = readStory(4);
  const schedulingStrategy = { ...spec.schedulingStrategy, gang: { layout } };
  return { metadata, spec: { ...spec, schedulingStrategy } };
}

const gpusPerNode = 8;
const replicasOn = (layout: Layout, gpus: number) =>
  capacity(serviceWith(layout), nodesOf(gpus, gpusPerNode));

const layouts: readonly Layout[] = ["subGroup", "task", "none"];
const margin = 24;

/** Returns the picture of the replicas that start for each number of GPUs and each layout. */
export function capacityStrip(): string {
  const sizes = Array.from({ length: 10 }, (_, at) => gpusPerNode * (at + 1));
  const [left, cell, row] = [110, 52, 22];
  const title = `Replicas that start on 8 to 80 GPUs, nodes of ${gpusPerNode}`;
  const elements = [
    text("head", margin, 34, title),
    ...legend(54, [
      [2, "whole replica"],
      [3, "part of a replica: holds GPUs, serves nothing"],
      [1, "waits"],
    ]),
  ];
  const description: string[] = [];
  let y = 76;
  for (const layout of layouts) {
    elements.push(text("strong", margin, y + 14, layout));
    for (const [at, gpus] of sizes.entries()) {
      const x = left + at * cell;
      const { status, replicas } = replicasOn(layout, gpus);
      if (layout === layouts[0])
        elements.push(text("muted middle", x + cell / 2 - 2, y + 14, String(gpus)));
      description.push(`${layout}, ${gpus} GPUs: ${status}.`);
      for (const [nth, { scheduledPods, size, role, index }] of replicas.entries()) {
        const top = y + 22 + nth * row;
        if (at === 0) elements.push(text("muted end", left - 8, top + 13, `${role}-${index}`));
        const box = { x, y: top, width: cell - 4, height: row - 4 };
        if (scheduledPods === 0) {
          elements.push(rectangle("dashed", box, 3));
          continue;
        }
        const width = (box.width * scheduledPods) / size;
        const series = scheduledPods === size ? "s2" : "s3";
        elements.push(rectangle("dashed", box, 3), rectangle(series, { ...box, width }, 3));
      }
    }
    y += 22 + 3 * row + 14;
  }
  return svgFile({
    title,
    description: description.join(" "),
    width: left + sizes.length * cell + margin,
    height: y + 4,
    elements,
  });
}

interface Pod {
  readonly name: string;
  /** Index of its replica. */
  readonly replica: number;
  /** Position in the order in which controllers create pods: leaders before workers. */
  readonly created: number;
  readonly isScheduled: boolean;
  readonly isWhole: boolean;
}

function podsOn(layout: Layout, gpus: number): Pod[] {
  const { replicas } = replicasOn(layout, gpus);
  const names = replicas.map(({ role, index }) => `${role}-${index}`);
  const longest = Math.max(...replicas.map(({ size }) => size));
  return Array.from({ length: longest }, (_, worker) =>
    replicas
      .filter(({ size }) => worker < size)
      .map(({ role, index, scheduledPods, size }) => ({
        replica: names.indexOf(`${role}-${index}`),
        name: `${role}-${index}-${worker}`,
        isScheduled: worker < scheduledPods,
        isWhole: scheduledPods === size,
      })),
  )
    .flat()
    .map((pod, created) => ({ ...pod, created }));
}

/** Returns the picture of when the pods of a service start on too few GPUs, with and without a gang. */
export function gangTimeline(): string {
  const gpus = 48;
  const [left, step, row, tail] = [110, 30, 19, 160];
  const panels = [
    { layout: "subGroup", title: "With a gang (subGroup): the pods of the minimum start together" },
    { layout: "none", title: "Without a gang (none): pods start one by one" },
  ] as const;
  const title = `Start of 10 pods on ${gpus} GPUs, with a gang and without`;
  const elements = [
    text("head", margin, 34, title),
    text(
      "muted",
      margin,
      54,
      "Left to right: the order in which pods are created. The steps are not measured times.",
    ),
    ...legend(74, [
      [2, "serves"],
      [3, "holds GPUs, serves nothing"],
      [1, "waits for GPUs"],
    ]),
  ];
  const description: string[] = [];
  const right = left + 10 * step + tail;
  let y = 92;
  for (const { layout, title: of } of panels) {
    const pods = podsOn(layout, gpus);
    const started = pods.filter(({ isScheduled }) => isScheduled);
    // A gang starts once the last pod of its minimum exists.
    const together = Math.max(...started.map(({ created }) => created));
    elements.push(text("strong", margin, y + 16, of));
    description.push(
      `${of}: ${started.length} of ${pods.length} pods start, ${started.filter(({ isWhole }) => isWhole).length} of them in whole replicas.`,
    );
    for (const [at, { name, created, isScheduled, isWhole }] of pods
      .toSorted((a, b) => a.replica - b.replica)
      .entries()) {
      const top = y + 26 + at * row;
      const start = left + step * (layout === "none" ? created : together);
      const from = left + step * created;
      const end = isScheduled ? start : right;
      elements.push(text("muted end", left - 8, top + 12, name));
      if (end > from)
        elements.push(
          rectangle("dashed", { x: from, y: top + 1, width: end - from, height: row - 5 }, 3),
        );
      if (!isScheduled) continue;
      const box = { x: start, y: top + 1, width: right - start, height: row - 5 };
      elements.push(rectangle(serves(layout, isWhole) ? "s2" : "s3", box, 3));
    }
    y += 26 + pods.length * row;
    elements.push(
      line("rule", [
        [left, y - pods.length * row - 2],
        [left, y],
      ]),
    );
    y += 14;
  }
  return svgFile({
    title,
    description: description.join(" "),
    width: right + margin,
    height: y,
    elements,
  });

  /** A complete replica serves only together with a complete replica of the other role. */
  function serves(layout: Layout, isWhole: boolean): boolean {
    return isWhole && replicasOn(layout, gpus).status !== "Blocked";
  }
}

function legend(
  y: number,
  entries: ReadonlyArray<readonly [series: 1 | 2 | 3, label: string]>,
): string[] {
  let x = margin;
  return entries.flatMap(([series, label]) => {
    const at = x;
    x += 26 + label.length * 6.6 + 16;
    const box = { x: at, y: y - 10, width: 14, height: 12 };
    return [
      rectangle(series === 1 ? "dashed" : `s${series}`, box, 3),
      text("muted", at + 20, y, label),
    ];
  });
}
