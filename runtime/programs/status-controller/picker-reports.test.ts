import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { limits } from "../../limits.ts";
import { PickerReports, type PickerReportsOptions, type PolledPool } from "./picker-reports.ts";
import { pageReader } from "./read-page.ts";

/** S1 of issue 44: pages use bounded resources of the controller, regardless of the number of pods. */

const running: PickerReports[] = [];
afterEach(async () => {
  for (const reports of running.splice(0)) await reports.stop();
});

const pool = (key: string, pickers: readonly string[]): PolledPool => ({
  ...{ key, pickers, services: [`${key}-service`], recycles: undefined },
});

function reportsOf(pools: readonly PolledPool[], readPage: PickerReportsOptions["readPage"]) {
  const reports = new PickerReports({
    ...{ pools: () => pools, readPage, intervalMs: 3_600_000, now: () => 0 },
    ...{ onChange: () => {}, onFailing: () => {} },
  });
  running.push(reports);
  return reports;
}

const line = (key: string, target = "t") =>
  `llm_d_epp_model_target_missing{pool="${key}",llm_service="${key}-service",model_name="m",target_model_name="${target}",namespace="n",pod="p"} 1\n`;
const lines = (key: string, count: number) =>
  Buffer.from(Array.from({ length: count }, (_, at) => line(key, String(at))).join(""));
const missing = (reports: PickerReports, key: string) =>
  reports.of(key, `${key}-service`)?.report?.missingTargets.length;
const problem = (reports: PickerReports, key: string) => reports.of(key, `${key}-service`)?.problem;

it("refuses 60 pages of 31 MiB one after another, within 200 MiB of memory", async () => {
  let atOnce = 0;
  let most = 0;
  let asked = 0;
  const page = Buffer.alloc(31 * 2 ** 20, line("a"));
  const server = createServer((_, response) => {
    asked += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.on("close", () => {
      atOnce -= 1;
    });
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const pools = Array.from({ length: 60 }, (_, at) => pool(`n/p${at}`, ["127.0.0.1"]));
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 5);
  const reports = reportsOf(pools, pageReader(port));
  await reports.poll();
  clearInterval(watch);
  server.close();
  expect(asked).toBe(60);
  expect(most).toBeLessThanOrEqual(2);
  expect(problem(reports, "n/p0")).toContain(`longer than ${limits.pickerPage.value} bytes`);
  expect((highest - before) / 2 ** 20).toBeLessThan(200);
});

it("reads one page at a time, even within a pool", async () => {
  let atOnce = 0;
  const most: number[] = [];
  const reports = reportsOf([pool("n/a", ["1", "2", "3"]), pool("n/b", ["4"])], async () => {
    atOnce += 1;
    most.push(atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    return Buffer.from("");
  });
  await reports.poll();
  expect(most).toEqual([1, 1, 1, 1]);
});

it("ignores a page with too many series, and reads the other pages of the pool", async () => {
  const pages = new Map([
    ["1", lines("n/a", limits.pickerSeries.value + 1)],
    ["2", lines("n/a", 3)],
    ["3", lines("n/b", limits.pickerSeries.value + 1)],
  ]);
  const reports = reportsOf(
    [pool("n/a", ["1", "2"]), pool("n/b", ["3"])],
    async (address) => pages.get(address) as Buffer,
  );
  await reports.poll();
  expect(missing(reports, "n/a")).toBe(3);
  expect(problem(reports, "n/b")).toContain("more than 200000 series");
});

it("drops the reading of the pool with the most values if the total exceeds the limit", async () => {
  const part = (count: number) => Math.floor(limits.pickerFacts.value * count);
  const pages = new Map([
    ["n/a", lines("n/a", part(0.7))],
    ["n/b", lines("n/b", part(0.4))],
    ["n/c", lines("n/c", 3)],
  ]);
  const pools = [...pages.keys()].map((key) => pool(key, [key]));
  const reports = reportsOf(pools, async (address) => pages.get(address) as Buffer);
  for (let round = 0; round < 2; round += 1) {
    await reports.poll();
    expect(problem(reports, "n/a")).toContain("report the most");
    expect(missing(reports, "n/b")).toBe(part(0.4));
    expect(missing(reports, "n/c")).toBe(3);
  }
});

it("ignores services that are not on the pool", async () => {
  const reports = reportsOf([pool("n/a", ["1"])], async () =>
    Buffer.from(line("n/a").replace("n/a-service", "n/made-up")),
  );
  await reports.poll();
  expect(reports.of("n/a", "n/made-up")?.report).toMatchObject({ missingTargets: [] });
});

it("polls slow pools last", async () => {
  const asked: string[] = [];
  const pools = [pool("n/slow", ["slow"]), pool("n/quick", ["quick"])];
  const reports = reportsOf(pools, async (address) => {
    asked.push(address);
    if (address === "slow") await new Promise((resolve) => setTimeout(resolve, 150));
    return Buffer.from("");
  });
  await reports.poll();
  await reports.poll();
  expect(asked).toEqual(["slow", "quick", "quick", "slow"]);
});
