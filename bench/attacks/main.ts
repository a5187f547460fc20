/**
 * Every attack of `test/attacks`, and what others notice of it:
 * `npm run bench:attacks -- [--only A1] [--seconds N] [--contenders ours,go]`. The Go picker takes part where EPP_GO names
 * its executable, as in `npm run bench:epp`. Prints the table of docs/security.md.
 */
import { parseArgs } from "node:util";
import { attacks } from "../../test/attacks/attacks.ts";
import { type Attack, type Outcome, openTheatre } from "../../test/attacks/stage.ts";
import { contenders } from "../epp/contenders.ts";
import { cleanUp } from "../epp/processes.ts";

const { values } = parseArgs({
  options: {
    /** Beginning of a finding's number. */
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "6" },
    contenders: { type: "string", default: "ours,go" },
  },
});

/** Nobody attacks: what the machine itself costs the bystanders. */
const nobody: Attack = {
  finding: "",
  title: "nobody",
  run: (_, signal) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(""), { once: true })),
};

const columns = ["", "attack", "told", "answers", "probes", "p50", "p99", "RSS", "end"];

const cells = ({ finding, title }: Attack, name: string, outcome: Outcome): string[] => {
  const { told, complete, answers, probes, probesFailed, p50, p99, rssMiB, ended } = outcome;
  return [
    finding,
    `${title} (${name})`,
    told,
    `${complete} of ${answers}`,
    `${probes - probesFailed} of ${probes}`,
    `${p50.toFixed(0)} ms`,
    `${p99.toFixed(0)} ms`,
    ended === undefined ? `${rssMiB} MiB` : "",
    ended ?? "alive",
  ];
};

const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;

const present = [...contenders()].filter(
  ([name]) => name !== "echo" && values.contenders.split(",").includes(name),
);
const theatre = await openTheatre();
try {
  console.log(line(columns));
  console.log(line(columns.map(() => "---")));
  for (const attack of [
    nobody,
    ...attacks.filter(({ finding }) => finding.startsWith(values.only)),
  ])
    for (const [name, start] of present) {
      if (attack.oursOnly && name !== "ours") continue;
      const outcome = await theatre.play(attack, start, Number(values.seconds));
      console.log(line(cells(attack, name, outcome)));
    }
} finally {
  await theatre.close();
  await cleanUp();
}
