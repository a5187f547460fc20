import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryRoot } from "../testing/repository.ts";
import { formatRecording, type RecordedLine } from "./recording.ts";

/** `npm run tool demo/record`: runs the quick demo and writes its output, with its times, to docs/images/demo.svg. */

const demo = spawn(
  process.execPath,
  ["--conditions=source", join(import.meta.dirname, "main.ts"), "--quick"],
  { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NO_COLOR: "1" } },
);
const ended = once(demo, "close");
const started = performance.now();
const lines: RecordedLine[] = [];
for await (const text of createInterface({ input: demo.stdout }))
  lines.push({ text, at: Math.round(performance.now() - started) });
const [code] = await ended;
if (code !== 0 || lines.length === 0)
  throw new Error(`the demo ended with exit code ${code} after ${lines.length} lines`);
const file = join(repositoryRoot, "docs", "images", "demo.svg");
writeFileSync(file, formatRecording("npm run demo -- --quick", lines));
console.log(`wrote ${file}`);
