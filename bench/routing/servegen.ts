import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "./random.ts";

/** A request that is drawn from the statistics of ServeGen (Alibaba): its time is seconds from the start of the data. */
export interface Drawn {
  readonly at: number;
  readonly client: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const traceSuffix = "-trace.csv";

/** Whether a folder has ServeGen's files: `chunk-N-trace.csv` and `chunk-N-dataset.json` of each client. */
export const isServeGen = (folder: string): boolean =>
  readdirSync(folder).some((file) => file.endsWith(traceSuffix));

/**
 * Draws the requests of all clients. A row of a client's trace contains the rate and the distribution of the pauses in
 * the ten minutes from its time; the dataset has the lengths of the six hours from a time. The draw of a row depends on
 * nothing else, so any window of the data has the same requests.
 *
 * @param begin seconds from the start of the data
 */
export function drawn(folder: string, begin: number, end: number): Drawn[] {
  const traces = readdirSync(folder).filter((file) => file.endsWith(traceSuffix));
  const requests = traces.flatMap((file, number) => {
    const client = file.slice(0, -traceSuffix.length);
    const rows = readFileSync(join(folder, file), "utf8").trim().split("\n").map(rowOf);
    const dataset = JSON.parse(readFileSync(join(folder, `${client}-dataset.json`), "utf8"));
    const lengths = Object.entries<Lengths>(dataset).map(
      ([from, fields]) => [Number(from), fields] as const,
    );
    return rows.flatMap(({ from, rate, pattern, shape }, at) => {
      const until = rows[at + 1]?.from ?? from + usualRow;
      if (!(rate > 0) || until <= begin || from >= end) return [];
      const random = new Random(1 + number * 100_003 + from);
      const { input_tokens, output_tokens } =
        lengths.findLast(([start]) => start <= from)?.[1] ?? {};
      const [input, output] = [input_tokens, output_tokens].map(cumulative);
      if (!input?.length || !output?.length) return [];
      const pauses = Array.from({ length: 1 + Math.round(rate * (until - from)) }, () =>
        pattern === "Weibull" ? weibull(random, shape) : gamma(random, shape),
      );
      const second = (until - from) / pauses.reduce((sum, pause) => sum + pause, 0);
      let time = from;
      return pauses.slice(1).flatMap((pause) => {
        time += pause * second;
        const own = {
          inputTokens: lengthOf(input, random),
          outputTokens: lengthOf(output, random),
        };
        return time >= begin && time < end ? { at: time, client, ...own } : [];
      });
    });
  });
  return requests.sort((a, b) => a.at - b.at);
}

/** Seconds that a row covers. */
const usualRow = 600;

function rowOf(line: string) {
  const [from, rate, , pattern, shape] = line.split(",");
  return { from: Number(from), rate: Number(rate), pattern, shape: Number(shape) };
}

/** Distributions of lengths, as Python prints a dictionary: `{9: 0.25, 163: 0.75}`. */
type Lengths = Partial<Record<"input_tokens" | "output_tokens", string>>;

/** Returns pairs of a length and the probability that a request is as long or shorter. */
function cumulative(written = ""): Array<readonly [tokens: number, share: number]> {
  let sum = 0;
  return [...written.matchAll(/(\d+): ([\d.e-]+)/g)].map(([, tokens, share]) => {
    sum += Number(share);
    return [Number(tokens), sum] as const;
  });
}

function lengthOf(lengths: ReadonlyArray<readonly [number, number]>, random: Random): number {
  const share = random.next();
  return Math.max(1, (lengths.find(([, until]) => share < until) ?? lengths.at(-1))?.[0] ?? 1);
}

/** A draw from a Weibull distribution of scale 1. */
const weibull = (random: Random, shape: number) => random.exponential(1) ** (1 / shape);

/** A draw from a gamma distribution of scale 1 (Marsaglia and Tsang, 2000). */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * random.next() ** (1 / shape);
  const d = shape - 1 / 3;
  while (true) {
    const normal = Math.sqrt(2 * random.exponential(1)) * Math.cos(2 * Math.PI * random.next());
    const v = (1 + normal / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < normal ** 2 / 2 + d - d * v + d * Math.log(v))
      return d * v;
  }
}
