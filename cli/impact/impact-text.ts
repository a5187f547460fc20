import type { Impact, LostObject, RoleImpact, ServiceImpact } from "../../sdk/impact/impact.ts";
import { coloured } from "../output/colours.ts";
import { formatTable } from "../output/table.ts";
import type { Output } from "../terminal.ts";

const header = ["SERVICE", "ROLE", "EFFECT", "GPUS", "AWAY", "LOWEST"];

/** Returns the impact as a table, the lost objects and a summary. */
export function impactTable(impact: Impact, out: Output): string {
  const rows = impact.services.flatMap((service) =>
    service.roles.map((role) => [
      { text: service.service },
      { text: role.role },
      { text: effectOf(role), show: (text: string) => coloured(out, colourOf(role), text) },
      ...[role.gpus, role.awayAtOnce, `${role.lowest} of ${role.replicas}`].map((each) => ({
        text: String(each),
      })),
    ]),
  );
  const table =
    rows.length === 0 ? "" : `${formatTable([header.map((text) => ({ text })), ...rows])}\n`;
  const lost = lostTexts(impact).map(
    ({ text, advice }) => `${coloured(out, "red", text)}${advice}\n`,
  );
  const notes = hiddenTexts(impact).map((text) => `${coloured(out, "red", text)}\n`);
  const blank = lost.length + notes.length > 0 ? "\n" : "";
  return `${table}${[...lost, ...notes].join("")}${blank}${summaryOf(impact)}\n`;
}

/** Returns the impact as a comment of a pull request. */
export function impactMarkdown(impact: Impact, exceeded: readonly string[]): string {
  const rows = impact.services.flatMap((service) =>
    service.roles.map(
      (role) =>
        `| ${escaped(service.service)} | ${escaped(role.role)} | ${effectOf(role)} | ${role.gpus} | ${role.awayAtOnce} | ${role.lowest} of ${role.replicas} |`,
    ),
  );
  const table =
    rows.length === 0
      ? []
      : ["| service | role | effect | GPUs | away at once | lowest |", "|---|---|---|---|---|---|"];
  const lost = lostTexts(impact).map(({ text, advice }) => `- ${escaped(text)}${advice}`);
  const notes = hiddenTexts(impact).map((text) => `- ${escaped(text)}`);
  const limits = exceeded.map((limit) => `- **${limit}**`);
  return [[`### ${summaryOf(impact)}`], [...table, ...rows], [...lost, ...notes], limits]
    .filter((part) => part.length > 0)
    .map((part) => `${part.join("\n")}\n`)
    .join("\n");
}

/** Returns a string on one line without the special characters of Markdown and HTML. */
const escaped = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/[\\`*_{}[\]()#+!|~@]/g, "\\$&");

function effectOf({ replicas, after, restarted, stopped, awayAtOnce }: RoleImpact): string {
  const steps =
    awayAtOnce === 0
      ? "each after its replacement is ready"
      : stopped > 0 || awayAtOnce === 1
        ? "one after the other"
        : `${awayAtOnce} at a time`;
  const effects = [
    ...(restarted > 0 ? [`${restarted} restart, ${steps}`] : []),
    ...(stopped > 0 ? [`${stopped} stop together`] : []),
    ...(after > replicas ? [`${after - replicas} added`] : []),
    ...(after < replicas && stopped === 0 ? [`${replicas - after} removed`] : []),
  ];
  return effects.join("; ");
}

const colourOf = ({ lowest, stopped, restarted }: RoleImpact) =>
  stopped > 0 || (restarted > 0 && lowest === 0) ? "red" : restarted > 0 ? "yellow" : "green";

/** Returns a sentence for the lost objects of one service with the same cause, and the advice. */
function lostTexts({ services }: Impact): Array<{ text: string; advice: string }> {
  return services.flatMap(({ lost }) => {
    const keyOf = ({ operation, because, advice }: LostObject) =>
      advice === undefined ? operation : `${operation} ${because[0]} ${advice}`;
    return [...Map.groupBy(lost, keyOf).values()].map((objects) => {
      const [{ operation, because, advice }] = objects as [LostObject];
      const names = objects.map(({ object }) => object);
      const more = names.length > shownObjects ? [`${names.length - shownObjects} more`] : [];
      const list = [...names.slice(0, shownObjects), ...more].join(", ");
      const verb = names.length === 1 ? "is" : "are";
      const isCause = advice !== undefined && because.length > 0;
      const cause = isCause ? `, because ${because.join(", ")} changed` : "";
      return {
        text: `${list} ${verb} ${operation === "replace" ? "replaced" : "deleted"}${cause}.`,
        advice: advice === undefined ? "" : ` ${advice}`,
      };
    });
  });
}

/** Returns a sentence for the workloads that are not counted. */
const hiddenTexts = ({ hidden }: Impact): string[] =>
  hidden.length === 0
    ? []
    : [
        `Not counted, because the preview hides secrets in their pods: ${hidden.join(", ")}. Their pods may restart. Read the secrets with valueFrom.secretKeyRef.`,
      ];

/** Number of objects that one sentence names. */
const shownObjects = 4;

function summaryOf({ restartedGpus, replaced, deleted, services }: Impact): string {
  const count = (list: "created" | "updated") =>
    services.reduce((sum, service: ServiceImpact) => sum + service[list].length, 0);
  return `${restartedGpus} GPUs restart or stop; objects: ${count("created")} created, ${count("updated")} updated, ${replaced} replaced, ${deleted} deleted`;
}
