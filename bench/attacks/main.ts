/**
 * Every attack of `test/attacks`, and what others notice of it:
 * `npm run bench attacks -- [--only A1] [--seconds N] [--memory MiB] [--contenders ours,go]`. The Go picker takes part where EPP_GO names
 * its executable, as in `npm run bench epp`. Prints the table of docs/security.md, and which bars our picker missed.
 */
import { parseArgs } from "node:util";
import { attacks } from "../../test/attacks/attacks.ts";
import { type Attack, type Outcome, openTheatre } from "../../test/attacks/stage.ts";
import { type ContenderName, contenders } from "../epp/contenders.ts";
import { cleanUp } from "../epp/processes.ts";
import { missedBars } from "./bars.ts";

const { values } = parseArgs({
  options: {
    /** Beginning of a finding's number, or a part of its title. */
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "6" },
    contenders: { type: "string", default: "ours,go" },
    /** Memory of a picker's pod, MiB. */
    memory: { type: "string", default: "1024" },
  },
});

/** No attack: measures the bystanders' latency on this machine. */
const noAttack: Attack = {
  finding: "",
  title: "nobody",
  run: (_, signal) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(""), { once: true })),
};

const columns = ["answers", "restarts", "probes", "p99 ms", "RSS MiB", "told"];

const cells = (outcome: Outcome | undefined): string[] => {
  if (outcome === undefined) return columns.map(() => "-");
  const { complete, answers, restarts, probes, probesFailed, p99, rssMiB, told } = outcome;
  return [
    `${complete}/${answers}`,
    String(restarts),
    `${probes - probesFailed}/${probes}`,
    p99.toFixed(0),
    String(rssMiB),
    told,
  ];
};

const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;

const all = contenders();
const present = (values.contenders.split(",") as ContenderName[]).flatMap((name) => {
  const start = all.get(name);
  return start === undefined ? [] : [{ name, start }];
});
const theatre = await openTheatre(Number(values.memory));
const missed: string[] = [];
/** The bystanders' p99 without an attack on our picker, in ms. */
let own = Number.POSITIVE_INFINITY;
try {
  const headings = present.flatMap(({ name }) => columns.map((column) => `${name}: ${column}`));
  console.log(line(["", "attack", ...headings, "our loop's longest stretch, ms"]));
  console.log(line(["", "attack", ...headings, ""].map(() => "---")));
  const played = attacks.filter(
    ({ finding, title }) => finding.startsWith(values.only) || title.includes(values.only),
  );
  for (const attack of [noAttack, ...played]) {
    const row: string[] = [];
    let stretch = "-";
    for (const { name, start } of present) {
      const isPlayed = name === "ours" || !attack.oursOnly;
      const outcome = isPlayed
        ? await theatre.play(attack, start, Number(values.seconds))
        : undefined;
      row.push(...cells(outcome));
      if (name !== "ours" || outcome === undefined) continue;
      stretch = String(outcome.stretchMs ?? "-");
      if (attack === noAttack) own = outcome.p99;
      missed.push(...missedBars(outcome, attack, own).map((bar) => `${attack.title}: ${bar}`));
    }
    console.log(line([attack.finding, attack.title, ...row, stretch]));
  }
  console.log(missed.length === 0 ? "\nEvery bar holds." : `\nMissed:\n${missed.join("\n")}`);
} finally {
  await theatre.close();
  await cleanUp();
}
