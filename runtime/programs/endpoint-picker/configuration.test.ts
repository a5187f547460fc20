import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Problem, SpecError } from "../../../sdk/errors.ts";
import { planInferenceService } from "../../../sdk/plan/inference-service.ts";
import { pickerConfigIn } from "../../../sdk/plan/planned.fixture.ts";
import { startPicker } from "../../../testing/pods/picker-process.ts";
import { router, service, worker } from "../../../testing/samples/sample-service.ts";

/** The picker's process and a preview must accept and reject the same configurations. */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const heading = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";
const previewed = (endpointPickerConfig: string, onAdvice: (advice: Problem) => void) =>
  planInferenceService(service([worker(), router({ endpointPickerConfig })]), { onAdvice });

function start(text: string) {
  const config = join(folder, "config.yaml");
  const pool = join(folder, "pool.yaml");
  writeFileSync(config, text);
  writeFileSync(pool, "");
  return startPicker({
    args: ["--secure-serving=false", `--file-source=${pool}`, `--config-file=${config}`],
  });
}

it("the picker starts with a configuration that a preview accepts, and logs the same warnings", async () => {
  const text = `${heading}flowControl: {maxRequests: 1}\nplugins: [{type: queue-scorer}]\n`;
  const warnings: string[] = [];
  const planned = previewed(text, ({ path, given }) => warnings.push(`${path.at(-1)} ${given}`));
  expect(pickerConfigIn(planned)).toBe(text);
  const picker = await start(text);
  try {
    expect(warnings).toHaveLength(1);
    const [warning = ""] = warnings;
    expect(warning).toMatch(
      /^endpointPickerConfig is not fully supported: flowControl is not used without/,
    );
    expect(picker.log()).toContain(
      warning.replace("endpointPickerConfig is not fully supported: ", ""),
    );
  } finally {
    await picker.stop();
  }
});

it("the picker exits at its start with the errors of the preview", async () => {
  const text = `${heading}plugins: [{type: queue-scorrer}]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: x}]}]\n`;
  let refused: unknown;
  try {
    previewed(text, () => {});
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(SpecError);
  const { problems } = refused as SpecError;
  expect(problems.map(({ path }) => path)).toEqual([
    ["roles", 1, "endpointPickerConfig"],
    ["roles", 1, "endpointPickerConfig"],
  ]);
  const log = await start(text).then(
    () => "",
    (error: Error) => error.message,
  );
  for (const { given } of problems) expect(log).toContain(given.replace("is not valid: ", ""));
});
