import type { ComponentPhase } from "../../sdk/status/schemas.ts";
import { type Colour, coloured } from "../output/colours.ts";
import { type Cell, formatTable } from "../output/table.ts";
import type { Output } from "../terminal.ts";
import { placementInWords } from "./observe-placement.ts";
import type { Poll } from "./status.ts";

const phaseColours: Record<ComponentPhase, Colour> = {
  Running: "green",
  Deploying: "yellow",
  Pending: "yellow",
  Failed: "red",
  Unknown: "grey",
};

/** Returns the roles of a service and its conditions, as two tables. */
export function statusTable(
  { name, status, now, dated, path, placement, unreported }: Poll,
  out: Pick<Output, "colour">,
): string {
  const { components = {}, conditions = [] } = status;
  const roles = Object.entries(components).map(([role, component]): Cell[] => {
    const { phase, readyReplicas, desiredReplicas, readyPods, totalPods, lastUpdateTime } =
      component;
    return [
      { text: role },
      { text: phase, show: (text) => coloured(out, phaseColours[phase], text) },
      { text: `${readyReplicas}/${desiredReplicas}` },
      { text: `${readyPods}/${totalPods}` },
      { text: dated.has(role) && lastUpdateTime !== undefined ? age(lastUpdateTime, now) : "-" },
    ];
  });
  const verdicts = conditions.map(({ type, status: holds, reason, message }): Cell[] => [
    { text: type },
    { text: holds, show: (text) => coloured(out, verdictColour(type, holds), text) },
    { text: reason },
    { text: message },
  ]);
  const objects = path.map(({ object, works, state }): Cell[] => [
    { text: object },
    { text: state, show: (text) => coloured(out, workColour(works), text) },
  ]);
  const nodes = placement.map((each): Cell[] => [
    { text: each.role },
    { text: placementInWords(each) },
  ]);
  return [
    `InferenceService ${name}${unreported.length === 0 ? "" : ", from its objects"}\n\n`,
    formatTable([headed("ROLE", "PHASE", "REPLICAS", "PODS", "SINCE"), ...roles]),
    "\n",
    formatTable([headed("CONDITION", "STATUS", "REASON", "MESSAGE"), ...verdicts]),
    ...(objects.length === 0 ? [] : ["\n", formatTable([headed("OBJECT", "STATE"), ...objects])]),
    ...(nodes.length === 0
      ? []
      : ["\n", formatTable([headed("ROLE", "NODES THAT ACCEPT ITS PODS WHILE EMPTY"), ...nodes])]),
    ...(unreported.length === 0 ? [] : [unknowable(unreported)]),
  ].join("");
}

const unknowable = (unreported: readonly string[]): string =>
  [
    "\nUnknown without an InferenceService object in the cluster (argument statusObject) or a manifest (-f):",
    ...unreported.map((each) => `- ${each}`),
    "",
  ].join("\n");

const workColour = (works: boolean | undefined): Colour =>
  works === undefined ? "grey" : works ? "green" : "red";

const headed = (...titles: string[]): Cell[] => titles.map((text) => ({ text }));

/** Returns the colour of a condition. Degraded is good if it is False. */
function verdictColour(type: string, holds: string): Colour {
  if (holds === "Unknown") return "grey";
  if (type === "Progressing") return "grey";
  return (holds === "True") === (type === "Degraded") ? "red" : "green";
}

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
] as const;

/** Formats an age as kubectl does: `5m`. */
function age(since: string, now: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(now) - Date.parse(since)) / 1000));
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? (["s", 1] as const);
  return `${Math.floor(seconds / size)}${unit}`;
}
