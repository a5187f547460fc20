// Runs one up of a rolling service in a process that may be killed: node killed-up-process.ts <options as JSON>
import { directoryState } from "../../engine/index.ts";
import { rollingStack } from "./rolling-stack.ts";

const { directory, ...options } = JSON.parse(process.argv[2] ?? "");
const result = await rollingStack({ ...options, state: directoryState(directory) }).up();
for (const { message, severity } of result.diagnostics)
  if (severity === "error") console.error(message);
process.exitCode = result.succeeded ? 0 : 1;
