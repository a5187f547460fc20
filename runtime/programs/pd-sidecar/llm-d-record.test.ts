import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { newLog } from "../../manager/log.ts";
import { readCommandLine } from "../../manager/program.ts";
import { departures } from "./departures.fixture.ts";
import { program } from "./program.ts";
import { recordedRequests } from "./recorded-requests.fixture.ts";
import { recordSidecar, type SidecarRecords } from "./sidecar-record.fixture.ts";
import { startPdSidecar } from "./start.ts";

/**
 * Compares the sidecar with a record of llm-d's sidecar over 45 requests. The requests to engines and the responses to
 * clients are equal except for the listed departures. `npm run bench sidecar/record` creates the record.
 */

const llmd: SidecarRecords = JSON.parse(
  readFileSync(join(import.meta.dirname, "llm-d-record.json"), "utf8"),
);

interface Difference {
  readonly request: string;
  readonly part: string;
  readonly theirs: string;
  readonly ours: string;
}

const differences: Difference[] = [];

beforeAll(async () => {
  const log = newLog({ verbosity: -1, write: () => {}, now: Date.now });
  const own = await recordSidecar(async ({ connector, encoding }, { decoder, prefiller }) => {
    const invocation = readCommandLine(
      program,
      [
        ...["--port=0", "--metrics-port=0", "--health-port=0", "--secure-proxy=false"],
        ...["--model-server-host=127.0.0.1", `--model-server-port=${decoder}`],
        ...["--enable-ssrf-protection=false", `--kv-connector=${connector}`],
        `--mooncake-bootstrap-port=${prefiller}`,
        ...(encoding === undefined ? [] : [`--ec-connector=${encoding}`]),
      ],
      {},
    );
    if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
    const sidecar = await startPdSidecar(invocation.options, log);
    return { port: sidecar.ports.serving[0] as number, stop: () => sidecar.stop("SIGINT") };
  });
  for (const { title } of recordedRequests) {
    const [theirs = {}, ours = {}] = [llmd[title], own[title]];
    for (const part of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const [one, other] = [String(theirs[part] ?? ""), String(ours[part] ?? "")];
      if (one !== other) differences.push({ request: title, part, theirs: one, ours: other });
    }
  }
}, 60_000);

const departuresOf = ({ request, part, theirs, ours }: Difference) =>
  departures.filter(
    ({ parts, requests = /./, explains = () => true }) =>
      parts.test(part) && requests.test(request) && explains(theirs, ours),
  );

it("the record of llm-d's sidecar contains all 45 requests", () => {
  expect(recordedRequests).toHaveLength(45);
  expect(Object.keys(llmd)).toEqual(recordedRequests.map(({ title }) => title));
});

it("each difference from llm-d's sidecar is a listed departure, and each listed departure occurs", () => {
  expect(differences.filter((each) => departuresOf(each).length === 0)).toEqual([]);
  const seen = new Set(differences.flatMap(departuresOf));
  expect(departures.filter((each) => !seen.has(each)).map(({ what }) => what)).toEqual([]);
});

it("docs/prefill-decode.md lists the departures from llm-d's sidecar", () => {
  const page = readFileSync(
    join(import.meta.dirname, "..", "..", "..", "docs", "prefill-decode.md"),
    "utf8",
  );
  expect(departures.map(({ what }) => what).filter((what) => !page.includes(`- ${what}`))).toEqual(
    [],
  );
});
