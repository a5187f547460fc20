import type { ExplainedDecision, ExplainedProfile } from "../../sdk/routing/explained-decision.ts";
import { formatTable } from "../output/table.ts";
import { formatWaterfall } from "./waterfall.ts";

/** Formats a decision for people: the request, then for each profile a line for each endpoint. */
export function formatDecision(decision: ExplainedDecision): string {
  const profiles = decision.profiles.flatMap((profile) => [
    formatProfile(profile, decision),
    ...profile.scorers.flatMap((_, scorer) => formatParts(profile, scorer)),
  ]);
  const { timeline } = decision;
  const times = timeline === null ? [] : [tableOf(formatWaterfall(timeline))];
  return [tableOf(factsOf(decision)), ...times, ...profiles].join("\n");
}

function factsOf(decision: ExplainedDecision): string[][] {
  const { requestId, ageMilliseconds, model, targetModel, service, rewrite, flow } = decision;
  return [
    ["REQUEST", `${requestId}, ${(ageMilliseconds / 1_000).toFixed(1)} s ago`],
    ["MODEL", model === targetModel ? model : `${model}, sent as ${targetModel}`],
    ["REGISTERED BY", service === null ? "none" : `LLMService ${service}`],
    ["RULE", rewrite === null ? "none" : `InferenceModelRewrite ${rewrite}`],
    ["FLOW", `${flow.fairnessId}, priority ${flow.priority}`],
    ["WAITED", waited(decision)],
    ...(decision.queue === null ? [] : [["QUEUE", queueOf(decision.queue)]]),
    ["WENT TO", wentTo(decision)],
    ["SERVED BY", servedBy(decision)],
  ];
}

const waited = ({ waitedMilliseconds }: ExplainedDecision) =>
  waitedMilliseconds === null ? "-" : `${waitedMilliseconds} ms`;

function queueOf({ band, flow, saturation, ceiling }: NonNullable<ExplainedDecision["queue"]>) {
  const location = `band ${band}, flow ${flow}`;
  if (saturation === null || ceiling === null) return `${location}; its turn never came`;
  return `${location}; the pool was ${percent(saturation)} full, and the band's ceiling is ${percent(ceiling)}`;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

function wentTo({ chosen, refusal, candidates }: ExplainedDecision): string {
  if (refusal !== null) return `nowhere, ${refusal.code}: ${refusal.message}`;
  return chosen
    .map((address) => {
      const pod = candidates.find(({ endpoint }) => endpoint === address)?.pod;
      return pod === undefined ? address : `${address} (${pod})`;
    })
    .join(", ");
}

function servedBy({ served, refusal }: ExplainedDecision): string {
  if (refusal !== null) return "none";
  if (served === null)
    return "not observed: the picker left the stream early, or the response is still running";
  return `${served.endpoint ?? "unnamed by the proxy"}, status ${served.status}`;
}

function formatProfile(
  { name, scorers, scored, dropped, picked }: ExplainedProfile,
  { candidates, prefix }: ExplainedDecision,
): string {
  const columns = scorers.map(({ name, weight }) => `${name} x ${weight}`);
  const head = [`PROFILE ${name}`, "POD", "CACHED BLOCKS", ...columns, "TOTAL", ""];
  const rows = candidates.map(({ endpoint, pod, cachedBlocks }) => {
    const cached = prefix === null ? "-" : `${cachedBlocks} of ${prefix.totalBlocks}`;
    const scores = scored.find((each) => each.endpoint === endpoint);
    const by = dropped.find((each) => each.endpoint === endpoint)?.by;
    const note = picked[0] === endpoint ? "picked" : by === undefined ? "" : `excluded by ${by}`;
    const numbers =
      scores === undefined
        ? [...scorers.map(() => "-"), "-"]
        : [...scores.scores.map((score) => score.toFixed(3)), scores.total.toFixed(2)];
    return { total: scores?.total ?? -1, row: [endpoint, pod, cached, ...numbers, note] };
  });
  return tableOf([head, ...rows.sort((a, b) => b.total - a.total).map(({ row }) => row)]);
}

/** Formats the parts of the cost of each endpoint, the cheapest first. Returns nothing if the scorer has no parts. */
function formatParts({ name, scorers, scored }: ExplainedProfile, scorer: number): string[] {
  const costs = scored
    .flatMap(({ endpoint, parts }) => {
      const own = parts?.[scorer] ?? null;
      if (own === null) return [];
      return [{ endpoint, own, sum: Object.values(own).reduce((sum, each) => sum + each, 0) }];
    })
    .sort((a, b) => a.sum - b.sum);
  const [first] = costs;
  if (first === undefined) return [];
  const head = [
    `COST IN TOKENS, ${scorers[scorer]?.name} of ${name}`,
    ...Object.keys(first.own).map((part) => part.toUpperCase()),
    "SUM",
  ];
  const rows = costs.map(({ endpoint, own, sum }) => [
    endpoint,
    ...[...Object.values(own), sum].map((each) => String(Math.round(each))),
  ]);
  return [tableOf([head, ...rows])];
}

const tableOf = (rows: readonly (readonly string[])[]) =>
  formatTable(rows.map((row) => row.map((text) => ({ text }))));
