// Runs one up of a service in a process that may be killed: node up-process.ts <options as JSON>
import { serviceStack } from "./service-stack.ts";

const { kubeconfig, directory, namespace, edition } = JSON.parse(process.argv[2] ?? "");
const result = await serviceStack({ kubeconfig, directory, namespace, edition }).up();
for (const { message } of result.diagnostics) console.error(message);
process.exitCode = result.succeeded ? 0 : 1;
