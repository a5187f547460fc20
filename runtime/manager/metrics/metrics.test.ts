import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alias } from "./alias.ts";
import { expose, formatNumber } from "./exposition.ts";
import { computed, counters, type Family, gauges, Histogram, histograms } from "./family.ts";

const input = { name: "requests_total", help: "Requests.", labels: ["model", "code"] } as const;

const page = (family: Family) => [...expose(family)].join("");

describe("exposition", () => {
  it("expose writes help, type and one line per series", () => {
    const requests = counters(input);
    requests.series("a", "200").value += 2;
    requests.series('b"\\\n', "500").value += 1;
    requests.series("a", "200").value += 1;
    expect(page(requests)).toBe(
      [
        "# HELP requests_total Requests.",
        "# TYPE requests_total counter",
        'requests_total{model="a",code="200"} 3',
        'requests_total{model="b\\"\\\\\\n",code="500"} 1',
        "",
      ].join("\n"),
    );
  });

  it("expose writes cumulative buckets", () => {
    const sizes = histograms({ name: "size", help: "Size.", labels: ["m"], bounds: [1, 2 ** 20] });
    for (const size of [0.5, 1, 2, 2 ** 20, 2 ** 21]) sizes.series("x").observe(size);
    expect(page(sizes)).toBe(
      [
        "# HELP size Size.",
        "# TYPE size histogram",
        'size_bucket{m="x",le="1"} 2',
        'size_bucket{m="x",le="1.048576e+06"} 4',
        'size_bucket{m="x",le="+Inf"} 5',
        'size_sum{m="x"} 3.1457315e+06',
        'size_count{m="x"} 5',
        "",
      ].join("\n"),
    );
  });

  it("expose writes a series without labels", () => {
    const up = gauges({ name: "up", help: "Up.", labels: [] });
    up.series().value = 1;
    expect(page(up)).toBe("# HELP up Up.\n# TYPE up gauge\nup 1\n");
    const wait = histograms({ name: "wait", help: "Wait.", labels: [], bounds: [] });
    wait.series().observe(2);
    expect(page(wait)).toContain('wait_bucket{le="+Inf"} 1\nwait_sum 2\nwait_count 1\n');
  });

  it("expose writes nothing without series", () => {
    expect(page(computed("gauge", input, () => []))).toBe("");
  });

  /** The expected strings equal the output of strconv.FormatFloat(v, 'g', -1, 64). */
  it.each([
    [0, "0"],
    [-1, "-1"],
    [0.00205, "0.00205"],
    [0.0001, "0.0001"],
    [0.00005, "5e-05"],
    [-0.00001, "-1e-05"],
    [123456.75, "123456.75"],
    [999999, "999999"],
    [1e6, "1e+06"],
    [1234567.5, "1.2345675e+06"],
    [1073741824, "1.073741824e+09"],
    [1e21, "1e+21"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
  ])("formatNumber(%d) returns %s", (value, text) => expect(formatNumber(value)).toBe(text));
});

it("an observation is counted in the first bucket whose bound is not below it", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.double({ noNaN: true }), { maxLength: 40 }),
      fc.double({ noNaN: true }),
      (values, value) => {
        const bounds = values.sort((a, b) => a - b);
        const histogram = new Histogram(bounds);
        histogram.observe(value);
        const first = bounds.findIndex((bound) => value <= bound);
        expect(histogram.counts.indexOf(1)).toBe(first < 0 ? bounds.length : first);
      },
    ),
  );
});

describe("an alias", () => {
  it("an alias adds up the series that differ only in labels it lacks", () => {
    const requests = counters(input);
    requests.series("a", "200").value = 2;
    requests.series("a", "500").value = 3;
    requests.series("b", "200").value = 4;
    const old = alias(requests, {
      name: "old_total",
      help: "Old.",
      labels: { model_name: "model" },
    });
    expect(page(old)).toBe(
      '# HELP old_total Old.\n# TYPE old_total counter\nold_total{model_name="a"} 5\nold_total{model_name="b"} 4\n',
    );
  });

  it("an alias with all labels reads each series only when it is needed", () => {
    let read = 0;
    const many = computed("gauge", input, function* () {
      for (; read < 5_000; ) yield { labels: [`m${read}`, "200"], value: ++read };
    });
    const old = alias(many, { name: "old", help: "Old.", labels: { c: "code", m: "model" } });
    const [first] = old.read();
    expect(first).toEqual({ labels: ["200", "m0"], value: 1 });
    expect(read).toBe(1);
  });

  it("an alias adds up histograms without changing them", () => {
    const sizes = histograms({ name: "size", help: "Size.", labels: ["m"], bounds: [1] });
    sizes.series("a").observe(1);
    sizes.series("b").observe(2);
    const old = alias(sizes, { name: "old", help: "Old.", labels: {} });
    for (let scrape = 0; scrape < 2; scrape += 1)
      expect([...old.read()]).toEqual([
        { labels: [], value: { bounds: [1], counts: [1, 1], sum: 3 } },
      ]);
  });

  it("an alias rejects a label that its source lacks", () => {
    expect(() => alias(counters(input), { name: "o", help: "", labels: { x: "y" } })).toThrow(
      "o: requests_total has no label y",
    );
  });
});
